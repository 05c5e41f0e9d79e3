#!/usr/bin/env python3
"""Draws peers.svg: how many times as fast as other libraries `tuned` is, by the times in measured/peers.json.

Usage: peers.py                    writes peers.svg
       peers.py --check            says whether it is what this script makes; exits with 1 if not
       peers.py --take FILE...     puts the times of a device in measured/peers.json first. FILE is a file of
                                   `--results` of `tilewright bench --peers`, or of a script that times
                                   another library; or, of a CPU, one file of `--json` of python_calls.py,
                                   whose CPU times count
"""
import json
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '../../apps/laboratory/tables')]
from results import read  # noqa: E402
from svg import BLUE, GREY, INK, ORANGE, Picture, draw_data  # noqa: E402

LIGHT = '#a9cbec'


def name_of(run):
    """The operator and its data without what is the same in all files: the default border."""
    return f"{run['operator']} {run['data'].replace(',', '').removesuffix(' reflect')}"


def pairs_of(ours, peers, time):
    """Each of our runs with the fastest peer of the same data."""
    for run in ours:
        same = [other for other in peers if name_of(other) == name_of(run) and time in other]
        if same:
            best = min(same, key=lambda other: other[time])
            yield {'data': name_of(run), 'ms': round(run[time], 5), 'peer': best['peer'],
                   'peer_ms': round(best[time], 5)}


def taken(devices, paths):
    """The devices' times, those of `paths`, which are of one device, in place of its older ones."""
    files = [read(path) for path in paths]
    if files[0][0].get('threads'):
        context, time, how = files[0][0], 'cpu_ms', 'CPU time of one thread, other programs running'
        ours = [run for run in files[0][1] if run['peer'] == 'Tilewright']
        peers = [run for run in files[0][1] if not run['peer'].startswith('Tilewright')]
    else:
        runs = [run for _, of_file in files for run in of_file]
        ours = [run for run in runs if run.get('chosen')]
        peers = [run for run in runs if run.get('peer') and 'published' not in run['peer']]
        context, time, how = ours[0]['context'], 'real_time', 'time on the device'
    device = {'device': context['device_name'], 'how': how, 'driver': context['driver'],
              'date': context['date'], 'commit': context['commit'], 'pairs': [*pairs_of(ours, peers, time)]}
    return text_of([*(other for other in devices if other['how'] != how), device])


def text_of(devices):
    """JSON with one line per device and per pair."""
    return json.dumps(devices).replace('}, {"data"', '},\n {"data"').replace('"pairs": [', '"pairs": [\n ') \
        .replace('}, {"device"', '},\n{"device"') + '\n'


def span(numbers):
    """`37`, or `37 to 53`."""
    ends = [f'{number:.0f}' if number >= 10 else f'{number:.2f}'.lstrip('0')
            for number in (min(numbers), max(numbers))]
    return ends[0] if ends[0] == ends[1] else ' to '.join(ends)


def summary(data):
    """`u8, f32 8192 x 8192, sigma 1 to 3` of texts such as `u8 8192x8192 sigma 3`."""
    words = [text.split() for text in data]
    sides = sorted({side for one in words for side in one[1].split('x')}, key=int)
    sigmas = sorted({one[3] for one in words if len(one) > 3}, key=float)
    return (', '.join(sorted({one[0] for one in words}, reverse=True)) + ', sides of ' +
            ' to '.join(dict.fromkeys([sides[0], sides[-1]])) +
            (', sigma ' + ' to '.join(dict.fromkeys([sigmas[0], sigmas[-1]])) if sigmas else ''))


def draw(devices):
    width, line = 600, 36
    bars = []
    for device in devices:
        groups = {}
        for pair in device['pairs']:
            groups.setdefault(pair['data'].split()[0], []).append(pair)
        bars.append(sorted(((operator, pairs, [math.log2(pair['peer_ms'] / pair['ms']) for pair in pairs])
                            for operator, pairs in groups.items()), key=lambda bar: -min(bar[2])))
    least, most = (end(ratio for group in bars for *_, ratios in group for ratio in ratios)
                   for end in (min, max))
    doubled = (width - 40) / (most - min(least, 0))  # pixels between a ratio and its double
    one = 20 - doubled * min(least, 0)
    p = Picture(width, 56 + sum(62 + line * len(group) for group in bars),
                'Times of other libraries over those of tuned')
    p.text(20, 26, 'How many times as fast as the fastest other library', 17, bold=True)
    p.text(20, 45, 'Blue: faster, from the least (dark) to the greatest (light) of the sizes and types. '
                   'Orange: slower.', 12, GREY)
    top = 56
    for device, group in zip(devices, bars):
        p.text(20, top + 24, f'{device["device"]}: {device["how"]}', 14, bold=True)
        for i, (operator, pairs, ratios) in enumerate(group):
            y = top + 32 + i * line
            p.text(20, y + 14, operator, 13)
            p.text(28 + 7 * len(operator), y + 14, summary([pair['data'].split(' ', 1)[1] for pair in pairs]),
                   11, GREY)
            peers = ', '.join(dict.fromkeys(pair['peer'] for pair in pairs))
            p.text(width - 20, y + 14, f'{span([2 ** ratio for ratio in ratios])} x {peers}', 13, INK, 'end')
            ends = [one + doubled * ratio for ratio in (min(ratios), max(ratios))]
            for colour, begin, end in ((ORANGE, ends[0], one), (BLUE, one, ends[0]),
                                       (LIGHT, max(ends[0], one), ends[1])):
                if end > begin:
                    p.rect(begin, y + 19, end - begin, 10, colour, 'none')
            p.line(one, y + 17, one, y + 31, INK, 1)
        origin = f'{device["date"][:10]}, {device["driver"]}, commit {device["commit"]}'
        p.text(20, top + 48 + line * len(group), origin, 11, GREY)
        top += 62 + line * len(group)
    return p.svg()


if __name__ == '__main__':
    sys.exit(draw_data(sys.argv[1:], f'{HERE}/measured/peers.json', f'{HERE}/peers.svg', draw, taken))
