"""Reads the files of the programs that time things (docs/JSON.md)."""
import json


class Wrong(Exception):
    """A file that cannot be used; the text says why."""


def read_json(path):
    """The JSON of a file, or the list of its lines' objects."""
    try:
        with open(path, encoding='utf-8') as file:
            text = file.read()
        try:
            data = json.loads(text)
            return data if 'context' not in data or 'operator' not in data else [data]
        except ValueError:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError, TypeError) as error:
        raise Wrong(f'{path}: no JSON of a program that times things: {error!r}') from error


def read(path):
    """The context and the runs of a file; of lines, the context of the first one, with its device."""
    data = read_json(path)
    try:
        if isinstance(data, list):
            first = data[0]['context']
            device = {'device': data[0]['device'], 'name': first['device_name'], 'driver': first['driver']}
            return {**first, 'devices': [device]}, data
        return data['context'], data['runs']
    except (LookupError, TypeError) as error:
        raise Wrong(f'{path}: it has no runs: {error!r}') from error
