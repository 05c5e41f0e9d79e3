#!/usr/bin/env python3
"""Draws peers.svg: how many times as fast as other libraries `tuned` is, by the times in measured/peers.json.

Usage: peers.py                    writes peers.svg
       peers.py --check            says whether it is what this script makes; exits with 1 if not
       peers.py --take FILE...     writes measured/peers.json first. FILE is a file of `--results` of
                                   `tilewright bench` or of `cuda_peers`, or of a script that times another
                                   library: one JSON object per line
"""
import json
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'steps'))
from svg import BLUE, GREY, INK, ORANGE, Picture  # noqa: E402

TIMES, DRAWN = os.path.join(HERE, 'measured', 'peers.json'), os.path.join(HERE, 'peers.svg')


def name_of(run):
    """The operator and its data without what is the same in all files: the default border."""
    return f"{run['operator']} {run['data'].replace(',', '').removesuffix(' reflect')}"


def take(paths):
    """The chosen variants, and of the peers of the same data the fastest one."""
    runs = [json.loads(line) for path in paths for line in open(path, encoding='utf-8') if line.strip()]
    ours = [run for run in runs if run.get('chosen')]
    context = ours[0]['context']
    pairs = []
    for run in ours:
        peers = [other for other in runs if other.get('peer') and name_of(other) == name_of(run) and
                 'published' not in other['peer']]
        if peers:
            best = min(peers, key=lambda other: other['real_time'])
            pairs.append({'data': name_of(run), 'variant': run['variant'], 'ms': round(run['real_time'], 5),
                          'peer': best['peer'], 'peer_ms': round(best['real_time'], 5)})
    return {'device': context['device_name'], 'driver': context['driver'], 'date': context['date'],
            'commit': context['commit'], 'pairs': pairs}


def draw(times):
    pairs = sorted(times['pairs'], key=lambda pair: pair['ms'] / pair['peer_ms'])
    one, line, doubled, top = 330, 24, 55, 64  # pixels; a ratio of 2 is `doubled` from that of 1
    p = Picture(900, top + 32 + line * len(pairs), 'Times of other libraries over those of tuned')
    p.text(20, 28, f'{times["device"]}: how many times as fast as the fastest other library', 16, bold=True)
    p.text(20, 48, 'Device time of calls back to back, timed in the same run; the axis is logarithmic. '
                   'Orange: slower.', 12, GREY)
    for i, pair in enumerate(pairs):
        y, ratio = top + i * line, pair['peer_ms'] / pair['ms']
        x = one + doubled * math.log2(ratio)
        p.text(one - 60, y + 14, pair['data'], 12, INK, 'end')
        p.rect(min(x, one), y + 2, abs(x - one), line - 7, BLUE if ratio >= 1 else ORANGE, 'none')
        times_as_fast = f'{ratio:.2f}' if ratio < 10 else f'{ratio:.0f}'
        p.text(max(x, one) + 6, y + 14, f'{times_as_fast} x {pair["peer"]}', 12)
    p.line(one, top - 4, one, top + line * len(pairs), INK, 1)
    origin = f'{times["date"][:10]}, {times["driver"]}, commit {times["commit"]}'
    p.text(20, top + line * len(pairs) + 20, f'{origin}; docs/performance/peers.py', 11, GREY)
    return p.svg()


def main(words):
    if words[:1] == ['--take']:
        text = json.dumps(take(words[1:]), indent=1) + '\n'
        with open(TIMES, 'w', encoding='utf-8') as file:
            file.write(text)
    with open(TIMES, encoding='utf-8') as file:
        made = draw(json.load(file))
    if words[:1] == ['--check']:
        with open(DRAWN, encoding='utf-8') as file:
            if file.read() == made:
                return 0
        print('docs/performance/peers.svg: not what peers.py makes; run it')
        return 1
    with open(DRAWN, 'w', encoding='utf-8') as file:
        file.write(made)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
