"""Writes the measured tables of docs/steps/.

    tables.py steps --add FILE...   keeps what the tables need of these files in docs/steps/measured/, and
                                    writes the tables
    tables.py steps                 writes the tables
    tables.py steps --check         says which tables differ from the JSON, and which times in the text are
                                    in none of it; exits with 1 if there is one
    tables.py steps --count PROGRAM OPERATOR...
                                    asks `PROGRAM show --source accesses` how the steps of these operators
                                    reach memory, keeps it in docs/steps/accesses.json, and writes the tables;
                                    with --check it says whether the program still says the same

FILE is JSON of `tilewright bench OPERATOR --json FILE` or of `cuda_peers --published --json FILE`, or the
lines of `tilewright bench OPERATOR --results FILE` of one device. A file of the same name in measured/ is
replaced.
Where two files have a time for the same place of a table, the later one counts.

A table stands in a page between a line of these and `<!-- end -->`. The lines between are replaced; without
data they stay.

    <!-- measured: OPERATOR [TYPE [DATA]] -->       one table per type and size of the data
    <!-- sizes: OPERATOR; DATA; DATA... -->         one table of data by step, each step a column; without
                                                    copies if it says `OPERATOR on the device`
    <!-- tunable: OPERATOR NAME STEP...; DATA -->   times by the value of a tunable (`bench --tunable`)
    <!-- accesses: OPERATOR TYPE SIZE OPTIONS -->   how the warps of each step reach memory; it ends with
                                                    `; DATA` where the data of the times has another name

Times in the text of a page must be those of some run in measured/, or of a publication, unless their
paragraph gives a date or a page of docs/performance/ as its source.
"""
import glob
import json
import os
import re

import accesses
from published import FIGURES, FIGURES_OF, PEERS, STEPS
from results import Wrong, read, read_json

COLUMNS = ['CUDA', 'OpenCL', 'PoCL', 'CPU', 'published kernel']
BEGIN = re.compile(r'<!-- (measured|sizes|tunable|accesses): (.*) -->$')
END = '<!-- end -->'
OF_PUBLISHED = 'published kernel, '


def column_of(device):
    if device['device'].startswith('cuda'):
        return 'CUDA'
    if device['device'].startswith('opencl'):
        # PoCL calls its devices cpu-... and, in older versions, pthread-...
        is_pocl = 'pocl' in json.dumps(device).lower() or device['name'].startswith(('cpu-', 'pthread-'))
        return 'PoCL' if is_pocl else 'OpenCL'
    return 'CPU'


def kept_of_bench(context, runs):
    """What the tables need of the variants that `tilewright bench` timed."""
    timed = [run for run in runs if 'real_time' in run and run.get('peer', PEERS[0]) in PEERS]
    names = {run['device'] for run in timed}
    if len(names) != 1:
        raise Wrong(f'has times of {len(names)} devices, and one is needed')
    device = next(device for device in context['devices'] if device['device'] in names)
    return {'column': column_of(device), 'date': context['date'], 'commit': context['commit'],
            'device': device['name'], 'driver': device['driver'],
            'runs': [kept_run(run, run.get('peer') or run['variant'].split('/')[1]) for run in timed]}


def tunables_of(run):
    """Of a variant that was built with other tunables (`bench --tunable`) these; its name has them last."""
    return {'tunables': run['tunables']} if run.get('variant', '').count('/') > 3 else {}


def kept_of_published(context, runs):
    """The same of the published kernels that `cuda_peers` timed, or of other libraries' functions."""
    timed = [run for run in runs if 'real_time' in run and run['peer'].startswith(OF_PUBLISHED)]
    peers = [] if timed else [run for run in runs if 'real_time' in run and run['peer'] in PEERS]
    return {'column': 'CUDA' if peers else 'published kernel', 'date': context['date'],
            'commit': context['commit'], 'device': context['device_name'],
            'driver': f"{context['driver']}, nvcc of {context['toolkit']}",
            'runs': [kept_run(run, run['peer'].removeprefix(OF_PUBLISHED)) for run in timed + peers]}


def kept_run(run, step):
    return {'operator': run['operator'], 'variant': step, 'data': run['data'],
            **{name: run['batch'][name] for name in ('median', 'p10', 'p90')},
            **({'host': run['host_call']['median']} if run.get('host_call') else {}), **tunables_of(run),
            **({'chosen': True} if run.get('chosen') else {}),
            'verified': run['verified'], 'wrong': run['wrong']}


def kept_of(path):
    """What is kept of a file of either program, or of one that was kept before."""
    data = read_json(path)
    try:
        if isinstance(data, dict) and 'column' in data:
            kept = data
        elif isinstance(data, dict) and data.get('program') == 'cuda_peers':
            kept = kept_of_published(*read(path))
        else:
            kept = kept_of_bench(*read(path))
        wrong = [f"{run['operator']}/{run['variant']}" for run in kept['runs'] if run['wrong']]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Wrong(f'{path}: no JSON of `tilewright bench` or `cuda_peers`: {error!r}') from error
    except Wrong as error:
        raise Wrong(f'{path}: {error}') from error
    if wrong:
        raise Wrong(f'{path}: has wrong results, so its times are worth nothing: {", ".join(wrong)}')
    return kept


def read_measured(folder):
    """All kept files, the oldest first."""
    names = sorted(name for name in os.listdir(folder) if name.endswith('.json'))
    return sorted((kept_of(os.path.join(folder, name)) for name in names), key=lambda kept: kept['date'])


def step_of(operator, variant):
    """The step that a variant belongs to: `bytes4_any` to `bytes4`, its family. A variant of no
    step is its own."""
    known = STEPS.get(operator, []) + ['tuned', 'auto']
    families = [step for step in known if variant == step or variant.startswith(step + '_')]
    return max(families, key=len, default=variant)


def steps_in_order(operator, found):
    first = ['reference'] + STEPS.get(operator, [])
    last = ['tuned', 'auto']
    others = [step for step in found if step not in first + last]
    return [step for step in first + others + last if step in found]


def name_of(step):
    """A step as code; another library's function, whose name has a space, as words."""
    return step if ' ' in step else f'`{step}`'


def places_of(measured, operator):
    """{data: {step: {column: (run, kept)}}}. Of the variants of a step, the first one that a file has counts:
    it is the one that the step's family chooses. Of `tuned` it is the one that a call takes."""
    places = {}
    for kept in measured:
        taken = set()
        for run in kept['runs']:
            step = step_of(operator, run['variant'])
            if run['operator'] == operator and 'tunables' not in run and (run['data'], step) not in taken:
                taken.add((run['data'], step))
                places.setdefault(run['data'], {}).setdefault(step, {})[kept['column']] = (run, kept)
        for run in kept['runs']:
            if run['operator'] == operator and run.get('chosen') and 'tunables' not in run:
                places.setdefault(run['data'], {}).setdefault('tuned', {})[kept['column']] = (run, kept)
    return places


def time_text(run):
    ms = run['median']
    text = f'{ms:.0f}' if ms >= 1000 else f'{ms:.4g}'
    return text if run['verified'] else text + ' *'


def device_name(name):
    return re.sub(r'^NVIDIA ', '', name)


def headings(steps):
    """The columns' headings: with the device where it is a GPU."""
    titles = []
    for column in COLUMNS:
        devices = {device_name(step[column][1]['device']) for step in steps.values() if column in step}
        gpus = ', '.join(sorted(devices)) if column not in ('PoCL', 'CPU') else ''
        title = f'{column} on {gpus}' if column == 'published kernel' and gpus else f'{gpus} {column}'.strip()
        titles.append(f'{title}, ms')
    return titles


def origins(steps):
    """One line that says when, on what and with which commit the times of each column were measured."""
    texts = []
    for column in COLUMNS:
        for step in steps.values():
            if column in step:
                kept = step[column][1]
                text = (f"{column}: {kept['date'][:10]}, {kept['device']}, {kept['driver']}, "
                        f"commit {kept['commit']}")
                texts += [text] if text not in texts else []
    return 'Measured: ' + '; '.join(texts) + '.'


def table(operator, data, steps):
    """The lines of one table."""
    has_figures = any(key[0] == operator and key[2] == data for key in FIGURES)
    lines = [f'**{data}**', '', origins(steps), '',
             '| step | ' + ' | '.join(headings(steps)) + " | publication's own figure, ms |",
             '|---' * (len(COLUMNS) + 2) + '|']
    starred = False
    for step in steps_in_order(operator, steps):
        times = [time_text(steps[step][column][0]) if column in steps[step] else '-' for column in COLUMNS]
        starred = starred or any(time.endswith('*') for time in times)
        figure = FIGURES.get((operator, step, data), '-')
        lines.append(f'| {name_of(step)} | ' + ' | '.join(times) + f' | {figure} |')
    if has_figures:
        lines += ['', f"The publication's figures are of {FIGURES_OF[operator]}."]
    if starred:
        lines += ['', 'Times with * were not verified in the run that was timed, because the reference would '
                  'have taken too long.']
    return lines


def measured_tables(measured, words):
    """All tables that a line of a page asks for."""
    operator, *asked = words.split(' ')
    lines = []
    for data, steps in places_of(measured, operator).items():
        if asked and not (data + ' ').startswith(' '.join(asked) + ' '):
            continue
        if not asked and not set(steps) - {'reference', 'tuned', 'auto'}:
            continue  # only the operator's own variants, of a type that no documented step has
        lines += table(operator, data, steps) + ['']
    return lines


def sizes_table(measured, words):
    """One table of several sizes: a line per size and column of the other tables, a column per step."""
    asked, *sizes = words.split('; ')
    operator, *on_the_device = asked.split(' ', 1)
    places = places_of(measured, operator)
    shown = steps_in_order(operator, {step for data in sizes for step in places.get(data, {})})
    lines = ['| data | ms of | ' + ' | '.join(map(name_of, shown)) + ' |',
             '|---' * (len(shown) + 2) + '|']

    def add(data, whose, texts):
        if any(texts):
            lines.append(f'| {data} | {whose} | ' + ' | '.join(text or '-' for text in texts) + ' |')

    for data in sizes:
        steps = places.get(data, {})
        add(data, "the publication's own", [FIGURES.get((operator, step, data)) for step in shown])
        for column in [COLUMNS[-1], *COLUMNS[:-1]]:
            runs = [steps.get(step, {}).get(column, (None, None))[0] for step in shown]
            device = next((steps[step][column][1]['device'] for step in steps if column in steps[step]), '')
            whose = f'{column}, {device_name(device)}' if column not in ('PoCL', 'CPU') else column
            add(data, whose, [run and time_text(run) for run in runs])
            copied = [run and run.get('host') and time_text(run | {'median': run['host']}) for run in runs]
            add(data, f'{whose}, copies included', [] if on_the_device else copied)
    everything = {(data, step): columns for data in sizes for step, columns in places.get(data, {}).items()}
    whose = FIGURES_OF.get(operator)
    figures = ['', f"The publication's figures are of {whose}."] if whose else []
    return [*lines, *figures, '', origins(everything), '']


def tunable_table(measured, words):
    """The times of some steps by the value of one tunable."""
    names, data = words.split('; ')
    operator, tunable, *steps = names.split(' ')
    times, sources = {}, {}
    for kept in measured:
        for run in kept['runs']:
            step = step_of(operator, run['variant'])
            if (run['operator'], run['data']) == (operator, data) and tunable in run.get('tunables', {}):
                place = (step, kept['column'])
                times[place, run['tunables'][tunable]] = times.get((place, run['tunables'][tunable])) or run
                sources[place] = {kept['column']: (run, kept)}
    places = [(step, column) for column in COLUMNS for step in steps if (step, column) in sources]
    titles = [f'`{step}`, {headings({step: sources[step, column]})[COLUMNS.index(column)]}'
              for step, column in places]
    lines = [f'| `{tunable}` | ' + ' | '.join(titles) + ' |', '|---' * (len(places) + 1) + '|']
    for value in sorted({value for _, value in times}):
        runs = [times.get((place, value)) for place in places]
        lines.append(f'| {value} | ' + ' | '.join(time_text(run) if run else '-' for run in runs) + ' |')
    return [*lines, '', origins(sources), ''] if times else []


def parts_of(words):
    """(operator, data, name of the data that was timed) of a line that asks for counters."""
    data, _, timed = words.partition('; ')
    return *data.split(' ', 1), timed


def asked_accesses(words):
    """The steps that a line asks for, as (operator, data, step)."""
    operator, data, _ = parts_of(words)
    return [(operator, data, step) for step in STEPS[operator] + ['tuned']]


def time_on_cuda(measured, words):
    """A function from a step to its run on CUDA with the first data that begins so; or to None. Vectors are
    N in the name of their data, and Nx1 as a size."""
    operator, data, timed = parts_of(words)
    begin = re.compile(re.escape(timed or data.replace('--', '').removesuffix('x1')) + r'(?!\d)')
    places = next((steps for name, steps in places_of(measured, operator).items() if begin.match(name)), {})
    return lambda step: places.get(step, {}).get('CUDA', (None, None))[0]


def accesses_table(measured, words, pages):
    operator, data, _ = parts_of(words)
    run_of = time_on_cuda(measured, words)
    return accesses.table(accesses.read(pages), operator, data, STEPS[operator] + ['tuned'],
                          lambda step: time_text(run_of(step)) if run_of(step) else '-') + ['']


def page_with_tables(text, measured, pages):
    makers = {'measured': measured_tables, 'sizes': sizes_table, 'tunable': tunable_table,
              'accesses': lambda measured, words: accesses_table(measured, words, pages)}
    lines, out, i = text.split('\n'), [], 0
    while i < len(lines):
        out.append(lines[i])
        begin = BEGIN.match(lines[i])
        i += 1
        if not begin:
            continue
        made = makers[begin[1]](measured, begin[2])
        if not made:
            continue
        rest = lines[i:]
        stop = next((k for k, line in enumerate(rest) if line == END or BEGIN.match(line)), None)
        if stop is not None and rest[stop] == END:
            i += stop + 1
        out += ['', *made, END]
    return '\n'.join(out)


TIME = re.compile(r'(?<!about )(?<![\w.])(\d*\.?\d+) (ms|us|s)\b')
SOURCED = re.compile(r'20\d\d-\d\d-\d\d|performance/')


def unknown_times(text, measured):
    """The times in the text that are in no table and whose paragraph names no source."""
    known = [run[name] for kept in measured for run in kept['runs'] for name in ('median', 'host')
             if name in run]
    known += [float(figure) for figure in FIGURES.values()]
    unknown, in_code = [], False
    for line in text.split('\n'):
        in_code ^= line.startswith('```')
        if in_code or line.startswith(('|', '    ', '<!--')) or SOURCED.search(line):
            continue
        for number, unit in TIME.findall(line):
            scale = {'ms': 1, 'us': 1000, 's': .001}[unit]
            digits = len(number.partition('.')[2])
            if not any(f'{ms * scale:.{digits}f}'.lstrip('0') == number.lstrip('0') for ms in known):
                unknown.append(f'{number} {unit}')
    return unknown


def keep(paths, folder):
    for path in paths:
        kept = kept_of(path)
        name = os.path.splitext(os.path.basename(path))[0] + '.json'
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            runs = kept.pop('runs')
            head = json.dumps(kept, indent=1)[:-2]
            file.write(head + ',\n "runs": [\n  ' + ',\n  '.join(map(json.dumps, runs)) + '\n ]\n}\n')


def write_or_check(given):
    folder = os.path.join(given.pages, 'measured')
    if given.add:
        keep(given.add, folder)
    paths = sorted(glob.glob(os.path.join(given.pages, '*.md')))
    texts = {}
    for path in paths:
        with open(path, encoding='utf-8') as file:
            texts[path] = file.read()
    stale = 0
    if given.count:
        program, *operators = given.count
        asked = [step for text in texts.values() for line in text.split('\n')
                 if (begin := BEGIN.match(line)) and begin[1] == 'accesses'
                 for step in asked_accesses(begin[2]) if not operators or step[0] in operators]
        stale += accesses.count(program, given.pages, asked, given.check)
    measured = read_measured(folder)
    for path, before in texts.items():
        after = page_with_tables(before, measured, given.pages)
        if not given.check and after != before:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(after)
        elif after != before:
            stale += 1
            print(f'{path}: its tables are not those of the JSON: run `tables.py steps`')
        unknown = unknown_times(after, measured)
        if unknown:
            stale += 1
            print(f"{path}: no run in measured/ and no source in the paragraph: {', '.join(unknown)}")
    return 1 if given.check and stale else 0
