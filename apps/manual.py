#!/usr/bin/env python3
"""Writes the manual pages of a program and its completions for bash, zsh and fish.

manual.py PROGRAM... FOLDER. All of it is made of what `PROGRAM... help --json` says (docs/JSON.md). FOLDER
becomes what a prefix has in share/: man/man1, bash-completion/completions, zsh/site-functions and
fish/vendor_completions.d.
"""
import json
import os
import re
import shlex
import subprocess
import sys


def options_of(command):
    return [parameter for parameter in command['parameters'] if parameter['is_option']]


def offers_of(parameter, grammar):
    """The words that complete a value. A command that takes operators takes all of them."""
    if parameter['names'] == ['operator']:
        return [command['name'] for command in grammar['commands'] if command['group'] == 'Operators']
    if parameter['names'] == ['topic']:
        return parameter['offers'] + [command['name'] for command in grammar['commands']]
    return parameter['offers']


def words_of(command, grammar):
    """What may follow the command in every place: words for its arguments, and its options."""
    words = [word for parameter in command['parameters'] if not parameter['is_option']
             for word in offers_of(parameter, grammar)]
    return words + [name for option in options_of(command) for name in option['names']]


# ---- manual pages

def roff(text):
    text = text.replace('\\', '\\e').replace('-', '\\-').replace("'", "\\(aq").replace('`', '\\(ga')
    return re.sub(r'^\.', r'\\&.', text, flags=re.M)


def paragraphs(notes):
    """The last lines of a help: the sections `Environment:` and `Examples:` under headings of their own."""
    heading, lines = 'NOTES', []
    for line in notes.split('\n') + ['End:']:
        title = re.fullmatch(r'([A-Z][a-z]+):', line)
        if not title:
            lines.append(line)
            continue
        if any(lines):
            yield '\n'.join([f'.SH {heading}', '.nf', *map(roff, lines), '.fi'])
        heading, lines = title[1].upper(), []


def described(parameter):
    names = ', '.join(f'\\fB{roff(name)}\\fR' for name in parameter['names'])
    value = f' \\fI{roff(parameter["value"])}\\fR' if parameter['value'] and parameter['is_option'] else ''
    default = f' Default: {parameter["default"]}.' if parameter['default'] else ''
    return f'.TP\n{names}{value}\n{roff(parameter["help"].rstrip(".") + "." + default)}'


def page(name, summary, usage, blocks, about):
    title = f'.TH {name.upper()} 1 "" "{about["version"]}" "{about["program"]}"'
    return '\n'.join([title, '.SH NAME', f'{roff(name)} \\- {roff(summary.rstrip("."))}', '.SH SYNOPSIS',
                      usage, *blocks]) + '\n'


def pages(grammar, about):
    program = grammar['name']
    blocks = []
    for group in dict.fromkeys(command['group'] for command in grammar['commands']):
        blocks.append('.SH ' + ('COMMANDS' if group.lower() == 'subcommands' else group.upper()))
        blocks += [f'.TP\n\\fB{roff(command["name"])}\\fR\n{roff(command["summary"])}.'
                   for command in grammar['commands'] if command['group'] == group]
    blocks += ['.SH OPTIONS', *map(described, grammar['parameters']), *paragraphs(grammar['notes'])]
    blocks += ['.SH SEE ALSO', ',\n'.join(f'.BR {program}\\-{roff(command["name"])} (1)'
                                         for command in grammar['commands']).replace(',\n', ' ,\n')]
    yield program, page(program, grammar['summary'],
                        f'\\fB{program}\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]', blocks, about)
    for command in grammar['commands']:
        arguments = [p for p in command['parameters'] if not p['is_option']]
        words = ' '.join(('\\fI{}\\fR' if p['required'] else '[\\fI{}\\fR]').format(
            p['names'][0] + ('...' if p['repeats'] else '')) for p in arguments)
        blocks = ['.SH ARGUMENTS', *map(described, arguments)] if arguments else []
        blocks += ['.SH OPTIONS', *map(described, options_of(command)), *paragraphs(command['notes'])]
        blocks += ['.SH SEE ALSO', f'.BR {program} (1)']
        name = f'{program}-{command["name"]}'
        usage = f'\\fB{program} {roff(command["name"])}\\fR [\\fIOPTIONS\\fR] {words}'
        yield name, page(name, command['summary'], usage, blocks, about)


# ---- completions

def bash(grammar):
    program = grammar['name']
    cases, words = [], []
    for command in grammar['commands']:
        words.append(f'    {command["name"]}) words={shlex.quote(" ".join(words_of(command, grammar)))} ;;')
        for option in options_of(command):
            offers = ' '.join(option['offers'])
            if option['value']:  # without words, the shell offers files
                names = '|'.join(f'"{command["name"]} {name}"' for name in option['names'])
                cases.append(f'    {names}) words={shlex.quote(offers)}; option=yes ;;')
    first = ' '.join([command['name'] for command in grammar['commands']] + ['--help', '--version'])
    return '\n'.join([
        f'_{program}() {{', '    local words= option=',
        '    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}', '    COMPREPLY=()',
        f'    if [ "$COMP_CWORD" -eq 1 ]; then words={shlex.quote(first)}; option=yes; fi',
        '    case "${COMP_WORDS[1]} $before" in', *cases, '    esac',
        '    [ -n "$option" ] || case "${COMP_WORDS[1]}" in', *words, '    esac',
        '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$now")', '}',
        f'complete -o bashdefault -o default -F _{program} {program}']) + '\n'


def zsh(grammar):
    def plain(text):
        return re.sub(r'([\\:\[\]])', r'\\\1', text)

    def argument(parameter):
        offers = ' '.join(offers_of(parameter, grammar))
        return f'{plain(parameter["value"])}:' + (f'({offers})' if offers else '_files')

    lines = []
    for command in grammar['commands']:
        given = []
        for option in options_of(command):
            given += [f'{name}[{plain(option["help"])}]' + (':' + argument(option) if option['value'] else '')
                      for name in option['names']]
        positional = [p for p in command['parameters'] if not p['is_option']]
        given += [('*:' if p['repeats'] else ':') + argument(p) for p in positional]
        lines.append(f'    {command["name"]}) _arguments {" ".join(map(shlex.quote, given))} ;;')
    named = [shlex.quote(f'{command["name"]}:{plain(command["summary"])}') for command in grammar['commands']]
    program = grammar['name']
    return '\n'.join([
        f'#compdef {program}', f'_{program}() {{', '    local state line', '    local -a commands',
        f'    commands=({" ".join(named)})',
        "    _arguments -C '--help[Print the help]' '--version[Print the versions]' "
        "'1: :->command' '*:: :->words'",
        '    case $state in', '    command) _describe command commands ;;', '    words) case $line[1] in',
        *lines, '    esac ;;', '    esac', '}',
        f'if [ "$funcstack[1]" = _{program} ]; then _{program} "$@"; else compdef _{program} {program}; fi'
    ]) + '\n'


def fish(grammar):
    program = grammar['name']
    lines = []
    for command in grammar['commands']:
        name = command['name']
        lines.append(f'complete -c {program} -n __fish_use_subcommand -f -a {name} '
                     f'-d {shlex.quote(command["summary"])}')
        of_command = f"complete -c {program} -n '__fish_seen_subcommand_from {name}'"
        for parameter in command['parameters']:
            offers = ' '.join(offers_of(parameter, grammar))
            words = f' -a {shlex.quote(offers)}' if offers else ''
            if not parameter['is_option']:
                lines += [of_command + words] if offers else []
                continue
            names = ''.join(f' -l {n[2:]}' if n.startswith('--') else f' -s {n[1:]}'
                            for n in parameter['names'])
            value = ' -x' + words if words else ' -r' if parameter['value'] else ''
            lines.append(f'{of_command}{names}{value} -d {shlex.quote(parameter["help"])}')
    return '\n'.join(lines) + '\n'


def main():
    *program, folder = sys.argv[1:]
    grammar = json.loads(subprocess.run([*program, 'help', '--json'], check=True, capture_output=True).stdout)
    version = subprocess.run([*program, '--version'], check=True, capture_output=True, text=True).stdout
    about = {'program': grammar['name'].capitalize(), 'version': ' '.join(version.split()[:2])}
    files = {f'man/man1/{name}.1': text for name, text in pages(grammar, about)}
    files[f'bash-completion/completions/{grammar["name"]}'] = bash(grammar)
    files[f'zsh/site-functions/_{grammar["name"]}'] = zsh(grammar)
    files[f'fish/vendor_completions.d/{grammar["name"]}.fish'] = fish(grammar)
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    main()
