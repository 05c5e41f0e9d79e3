#!/usr/bin/env python3
"""Asks the site's search what users ask, and says whether its first answer is on a right page.

site_search.py SITE [--least N]: SITE is the folder of the built site. Exits with 1 where fewer than N of the
questions are answered. The index is built as the site's own search builds it: by lunr, where titles count
more than texts. Prints "not run here" where lunr is not installed or the site is not built.
"""
import json
import os
import re
import sys

# What is typed, most of it in the words of issues of Halide and other projects, and pages that answer it.
QUESTIONS = [
    ('tensor cores', ['FAQ', 'operators/matmul', 'CHANGELOG', 'index']),
    ('AOT GPU buffers from Python', ['tutorials/halide_aot', 'FAQ', 'PYTHON']),
    ('initialize cuda faster precompile kernel', ['tutorials/halide_aot', 'FAQ']),
    ('first call slow', ['FAQ', 'PERFORMANCE', 'performance/gpu-calls', 'tutorials/halide_aot']),
    ('cuda streams of my own', ['FAQ', 'CPP', 'reference/cpp/stream.h', 'python/arrays']),
    ('ahead of time compilation with GPU', ['tutorials/halide_aot', 'BUILD-TIME']),
    ('profile a kernel with cuda events', ['FAQ', 'COMMAND-LINE', 'reference/commands']),
    ('blur slower than OpenCV', ['FAQ', 'tutorials/opencv', 'performance/cpu-blurs', 'steps/gaussian_blur']),
    ('GPU schedule for blur', ['steps/gaussian_blur', 'operators/gaussian_blur', 'tutorials/gpu_schedule']),
    ('autoscheduler benchmark', ['FAQ', 'GLOSSARY', 'topics/schedules', 'reference/commands']),
    ('benchmark my own generator', ['BUILD-TIME', 'FAQ', 'tutorials/halide_aot']),
    ('duplicate symbols several libraries', ['FAQ', 'BUILD-TIME', 'tutorials/halide_aot']),
    ('halide error handler ends program', ['BUILD-TIME', 'FAQ']),
    ('images larger than 4 GB', ['FAQ', 'tutorials/slide', 'LARGE-IMAGES']),
    ('Vulkan Metal', ['FAQ']),
    ('float16', ['FAQ', 'PYTHON', 'topics/types']),
    ('PyTorch gradients', ['FAQ', 'PYTHON']),
    ('window radius of gaussian blur', ['operators/gaussian_blur', 'tutorials/opencv', 'PYTHON',
                                       'reference/cpp/gaussian_blur.h', 'reference/commands']),
    ('memory slide larger than RAM', ['tutorials/slide', 'LARGE-IMAGES']),
    ('Windows macOS ARM', ['FAQ', 'BUILDING']),
]


def index_of(folder):
    from lunr import lunr
    with open(os.path.join(folder, 'search/search_index.json'), encoding='utf-8') as file:
        index = json.load(file)
    pages, separator = index['docs'], index['config']['separator']
    for page in pages:
        for field in ('title', 'text'):
            page[field] = re.sub(separator, ' ', re.sub(r'<[^>]+>', ' ', page[field]))
    documents = [(page, {'boost': page.get('boost', 1)}) for page in pages]
    return lunr(ref='location', fields=[{'field_name': 'title', 'boost': 1000}, 'text'], documents=documents)


def main():
    folder, least = sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else len(QUESTIONS)
    try:
        index = index_of(folder)
    except (ImportError, FileNotFoundError) as error:
        print(f'not run here: {error}')
        return 0
    right = 0
    for question, pages in QUESTIONS:
        found = index.search(question)
        first = found[0]['ref'] if found else '-'
        is_right = first.split('#')[0].removesuffix('.html') in pages
        right += is_right
        print(f'{"right" if is_right else "wrong":<6} {question:<42} {first}')
    print(f'{right} of {len(QUESTIONS)} questions are answered by the first hit')
    return 0 if right >= least else 1


if __name__ == '__main__':
    sys.exit(main())
