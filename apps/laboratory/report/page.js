// Draws the plots of a report: times, what each step brought, sizes, tunables, and the limits of the device.
// The data is what page.cpp writes: the runs with short names, n variant, o operator, s schedule, f family,
// y type, d device, x data, w and h size, t [median, p10, p90] in ms, b bytes, a arithmetic, c chosen,
// p peer, u not verified, m data in the CPU's cache, g timed again at the end of a search, q tunables,
// k point, z sentence.
(async function () {
  'use strict';

  // Colours that people with any kind of colour vision tell apart (Okabe and Ito); the shapes differ too.
  const ROLES = {
    reference: ['#6e6e6e', 'circle'], step: ['#0072b2', 'circle'], tuned: ['#d55e00', 'diamond'],
    auto: ['#cc79a7', 'triangle-up'], peer: ['#009e73', 'square'],
  };
  const LINES = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#000000'];
  const config_of = width => ({font: 'system-ui, sans-serif',
    axis: {labelLimit: Math.min(330, width * .38), labelFontSize: width < 500 ? 10 : 12, titleFontSize: 12},
    legend: {labelLimit: 300, ...(width < 700 ? {orient: 'bottom', columns: 2} : {})},
    view: {stroke: null}});

  function element(tag, attributes = {}, ...children) {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...children);
    return made;
  }

  const digits = number => number >= 1000 ? number.toFixed(0) : Number(number.toPrecision(4)).toString();
  const unique = list => [...new Set(list)];
  const groups = (list, key) => {
    const map = new Map();
    for (const one of list) {
      const name = key(one);
      map.has(name) ? map.get(name).push(one) : map.set(name, [one]);
    }
    return map;
  };
  const least = list => list.reduce((a, b) => b.t[0] < a.t[0] ? b : a);

  function role(run) {
    if (run.p) return 'peer';
    if (run.s === 'reference') return 'reference';
    if (run.f === 'tuned' || run.s === 'auto') return run.f === 'tuned' ? 'tuned' : 'auto';
    return 'step';
  }

  const {devices, copy, runs} = JSON.parse(document.getElementById('data').textContent);

  // -------------------------------------------------------------------------------------------- plots

  async function draw(parent, caption, spec) {
    const place = element('div');
    parent.append(element('figure', {}, place, element('figcaption', {textContent: caption})));
    if (!window.vegaEmbed) return;
    const width = Math.max(280, place.clientWidth - 40);  // without the menu of a plot
    const all = {$schema: 'https://vega.github.io/schema/vega-lite/v6.json', config: config_of(width),
      description: caption, autosize: {type: 'fit-x', contains: 'padding'}, ...spec,
      width: Math.min(spec.width || width, width)};
    await vegaEmbed(place, all,
      {renderer: 'svg', actions: {export: true, source: false, compiled: false, editor: false}});
  }

  // A logarithmic axis with room for a text to the right of the largest value.
  const room_for_labels = (low, high) => {
    const least = Math.min(...low), most = Math.max(...high);
    return {type: 'log', nice: false, domain: [least / 1.1, most * Math.max(1.5, (most / least) ** .35)]};
  };
  const roles = list => {
    const found = Object.keys(ROLES).filter(name => list.some(run => run.role === name));
    return {scale: {domain: found, range: found.map(name => ROLES[name][0])},
      shapes: {domain: found, range: found.map(name => ROLES[name][1])}};
  };

  async function draw_times(parent, list) {
    const values = list.map(run => ({n: run.n, variant: run.s, role: role(run), ms: run.t[0], p10: run.t[1],
      p90: run.t[2], chosen: Boolean(run.c), label: (run.c ? '★ ' : '') + digits(run.t[0]) + ' ms',
      GBps: run.b ? run.b / run.t[0] / 1e6 : undefined, verified: run.u ? 'no' : 'yes'}));
    const {scale, shapes} = roles(values);
    const MS = room_for_labels(values.map(value => value.p10), values.map(value => value.p90));
    const y = {field: 'variant', type: 'nominal', sort: null, title: null};
    await draw(parent, 'Times of schedules and peers (shorter is better; the axis is logarithmic). The line '
      + 'is the interval from the 10th to the 90th percentile; ★ is the variant that a call takes by '
      + `itself.${list.some(run => run.m) ? ' The data is in the cache of the CPU.' : ''}`, {
      data: {values}, height: 19 * unique(values.map(value => value.variant)).length,
      layer: [
        {mark: {type: 'rule', strokeWidth: 2}, encoding: {y,
          x: {field: 'p10', type: 'quantitative', scale: MS, title: 'ms per call'}, x2: {field: 'p90'},
          color: {field: 'role', scale, title: 'kind'}}},
        {mark: {type: 'point', filled: true, opacity: 1}, encoding: {y,
          x: {field: 'ms', type: 'quantitative', scale: MS},
          color: {field: 'role', scale, title: 'kind'},
          shape: {field: 'role', scale: shapes, title: 'kind'},
          size: {condition: {test: 'datum.chosen', value: 160}, value: 70},
          tooltip: ['n', 'ms', 'p10', 'p90', 'GBps', 'verified'].map(field => ({field}))}},
        {mark: {type: 'text', align: 'left', dx: 9, fontSize: 10}, encoding: {y,
          x: {field: 'p90', type: 'quantitative', scale: MS}, text: {field: 'label'}}},
      ]});
  }

  // The first variant of each family that was timed, in the order of the operator's table.
  function ladder_of(list) {
    const variants = list.filter(run => !run.p);
    const families = [...groups(variants, run => run.f).values()];
    const steps = families.map(some => some.find(run => run.c) || some[0]);
    const rank = run => ['reference', 'step', 'tuned', 'auto'].indexOf(role(run));
    return steps.map((run, i) => [run, i]).sort((a, b) => rank(a[0]) - rank(b[0]) || a[1] - b[1])
      .map(([run]) => run);
  }

  async function draw_ladder(parent, list) {
    const steps = ladder_of(list);
    if (steps.length < 2) return;
    const first = steps[0];
    const values = steps.map((run, i) => {
      const times = first.t[0] / run.t[0], before = i ? steps[i - 1].t[0] / run.t[0] : 1;
      return {n: run.n, step: run.f, role: role(run), times, one: 1, end: Math.max(1, times), before,
        ms: run.t[0], says: run.z || '',
        label: i ? `${digits(times)} × (${digits(before)} × the step before)` : '1'};
    });
    const {scale} = roles(values);
    const y = {field: 'step', type: 'nominal', sort: null, title: null};
    const log = room_for_labels(
      values.map(value => Math.min(1, value.times)), values.map(value => value.end));
    const x = {field: 'times', type: 'quantitative', scale: log, title: `times as fast as ${first.f}`};
    const color = {field: 'role', scale, legend: null}, tooltip = [{field: 'step'}, {field: 'says'}];
    const caption =
      `What each step brought: how many times as fast as ${first.f}, and as the step before.`;
    await draw(parent, caption, {data: {values}, height: 19 * values.length,
      layer: [
        {mark: {type: 'rule', strokeWidth: 7}, encoding: {y, x: {...x, field: 'one'}, x2: {field: 'times'},
          color, tooltip}},
        {mark: {type: 'point', filled: true, opacity: 1, size: 60}, encoding: {y, x, color, tooltip}},
        {mark: {type: 'text', align: 'left', dx: 8, fontSize: 10}, encoding: {y, x: {...x, field: 'end'},
          text: {field: 'label'}}},
      ]});
    if (values.some(value => value.says)) {
      parent.append(element('details', {}, element('summary', {textContent: 'What each step does'}),
        element('ul', {}, ...values.filter(value => value.says).map(value =>
          element('li', {}, element('b', {textContent: value.step}), ': ' + value.says)))));
    }
  }

  // The data without width and height: "u8 8192x8192 sigma 3" is "u8 sigma 3", and "u8 64x64x3" is "u8 3
  // channels".
  const kind_of_data = run => run.x.replace(/(^| )\d+(x\d+)*(?=[ ,]|$)/,
    size => size.trim() === `${run.w}x${run.h}x${run.ch}` ? ` ${run.ch} channels` : '');

  const is_long = run => run.h > 1 && Math.max(run.w / run.h, run.h / run.w) > 8;  // vectors have height 1

  async function draw_sizes(parent, all, like) {
    const list = all.filter(run => !run.k && run.d === like.d && kind_of_data(run) === kind_of_data(like)
      && run.w * run.h > 0);
    if (unique(list.filter(run => !is_long(run)).map(run => run.w * run.h)).length < 2) return;
    // The variants that are fastest somewhere come first and have a colour; all others are grey.
    const wins = new Map();
    for (const some of groups(list, run => run.x).values()) {
      some.sort((a, b) => a.t[0] - b.t[0]).forEach((run, i) =>
        wins.set(run.s, (wins.get(run.s) || 0) + 1 / (1 + i) ** 2));
    }
    const best = [...wins].sort((a, b) => b[1] - a[1]).slice(0, LINES.length).map(([name]) => name);
    const values = list.map(run => ({n: run.n, variant: run.s, pixels: run.w * run.h, ms: run.t[0],
        data: run.x,
      long: is_long(run),
      kind: best.includes(run.s) ? run.s : 'other variants', chosen: Boolean(run.c)}));
    const others = values.some(value => value.kind === 'other variants') ? ['other variants'] : [];
    const scale = {domain: [...best, ...others], range: [...LINES.slice(0, best.length),
      ...others.map(() => '#c8c8c8')]};
    const x = {field: 'pixels', type: 'quantitative', scale: {type: 'log'},
      title: 'elements (width × height)'};
    const y = {field: 'ms', type: 'quantitative', scale: {type: 'log'}, title: 'ms per call'};
    const color = {field: 'kind', type: 'nominal', scale, title: 'variant'};
    const tooltip = ['n', 'data', 'ms', 'chosen'].map(field => ({field}));
    await draw(parent, `Size against time of ${kind_of_data(like)} on ${devices[like.d]}, both axes `
      + 'logarithmic. Large diamonds are the variants that a call takes by itself at that size. Images of '
      + 'which one side is more than eight times the other are points without a line.', {
      data: {values}, height: 320, layer: [
        {transform: [{filter: '!datum.long'}], mark: {type: 'line'},
          encoding: {x, y, color, detail: {field: 'variant'}}},
        {mark: {type: 'point', filled: true, opacity: 1, size: 30}, encoding: {x, y, color, tooltip}},
        ...(values.some(value => value.chosen) ? [{transform: [{filter: 'datum.chosen'}],
          mark: {type: 'point', shape: 'diamond', size: 190, stroke: '#000000', strokeWidth: 1.5,
            filled: false}, encoding: {x, y, tooltip}}] : []),
      ]});
  }

  // ------------------------------------------------------------------------------------- tunables

  const tunables_of = run => Object.fromEntries((run.q || '').split(', ').filter(Boolean)
    .map(word => word.split('=')).map(([name, value]) => [name, Number(value)]));

  async function draw_map(parent, points, x, y) {
    // The least of many times is partly luck: of points that were timed again, the least.
    const best = least(points.some(run => run.g) ? points.filter(run => run.g) : points);
    const values = [...groups(points, run => run.v[x] + ' ' + (y ? run.v[y] : '')).values()].map(some => {
      const run = some.includes(best) ? best : least(some);
      return {n: run.n, x: run.v[x], y: y ? run.v[y] : 0, ms: run.t[0], tunables: run.q, points: some.length,
        label: (run === best ? '★ ' : '') + digits(run.t[0])};
    });
    const field = name => ({field: name, type: 'ordinal', title: name === 'x' ? x : y});
    const tooltip = ['tunables', 'ms', 'points'].map(name => ({field: name}));
    const caption = `Time of ${best.n.split('/').slice(0, 4).join('/')} on ${best.x} over its tunables, in `
      + `ms: the least over all other tunables. The best of ${points.length} points is `
      + `${digits(best.t[0])} ms with ${best.q}${best.g ? ', timed again at the end of the search' : ''}.`;
    if (!y) {
      await draw(parent, caption, {data: {values}, height: 220, mark: {type: 'line', point: true},
        encoding: {x: field('x'), y: {field: 'ms', type: 'quantitative', scale: {type: 'log', nice: false},
          title: 'ms per call'}, tooltip}});
      return;
    }
    const columns = unique(values.map(value => value.x)).length;
    const rows = unique(values.map(value => value.y)).length, middle = Math.sqrt(
      Math.min(...values.map(value => value.ms)) * Math.max(...values.map(value => value.ms)));
    const width = columns * 62 + 200;
    await draw(parent, caption, {data: {values}, width, height: 26 * rows, layer: [
      {mark: {type: 'rect'}, encoding: {x: field('x'),
        y: {...field('y'), sort: 'descending'},
        color: {field: 'ms', type: 'quantitative', title: 'ms',
          scale: {type: 'log', scheme: 'viridis', reverse: true, nice: false}}, tooltip}},
      ...(columns <= 14 ? [{mark: {type: 'text', fontSize: 10}, encoding: {x: field('x'),
        y: {...field('y'), sort: 'descending'}, text: {field: 'label'},
        color: {condition: {test: `datum.ms < ${middle}`, value: '#000000'}, value: '#ffffff'}}}] : []),
    ]});
  }

  function chooser(label, options, act) {
    const select = element('select', {},
      ...options.map((text, i) => element('option', {value: i, textContent: text})));
    select.addEventListener('change', () => act(Number(select.value)));
    return {select, label: element('label', {}, label + ' ', select)};
  }

  async function draw_tunables(parent, all) {
    const maps = [...groups(all.filter(run => !run.p && run.q), run =>
      `${run.s}, ${run.x}, ${devices[run.d]}`)].filter(([, some]) => some.filter(run => run.k).length > 1);
    if (!maps.length) return;
    maps.sort((a, b) => b[1].length - a[1].length);
    parent.append(element('h3', {textContent: 'Tunables against time'}));
    const place = element('div');
    const axes = element('span');
    async function redraw(which) {
      const points = maps[which][1].map(run => ({...run, v: tunables_of(run)}));
      const names = unique(points.flatMap(run => Object.keys(run.v)))
        .map(name => [name, unique(points.map(run => run.v[name])).length]).filter(([, count]) => count > 1)
        .sort((a, b) => b[1] - a[1]).map(([name]) => name);
      let across = 0, down = names.length > 1 ? 1 : -1;
      const again = async () => {
        place.replaceChildren();
        await draw_map(place, points, names[across], down < 0 || down === across ? null : names[down]);
      };
      axes.replaceChildren();
      if (names.length > 2) {
        const x = chooser('across', names, i => { across = i; again(); });
        const y = chooser('down', names, i => { down = i; again(); });
        y.select.value = 1;
        axes.append(x.label, y.label);
      }
      if (names.length) await again();
    }
    parent.append(element('p', {}, chooser('variant', maps.map(([name]) => name), redraw).label, axes),
        place);
    await redraw(0);
  }

  // ------------------------------------------------------------------------------------- operators

  async function draw_operator(section) {
    const all = runs.filter(run => run.o === section.dataset.operator);
    const parent = section.querySelector('.drawn');
    // First what peers were timed on, then what most variants serve, and of that the largest data.
    const named = [...groups(all.filter(run => !run.k), run => `${run.x} on ${devices[run.d]}`)];
    const most = Math.max(...named.map(([, some]) => some.length));
    const rank = some => [some.some(run => run.p) ? 1 : 0,
      some.length * 2 > most && !is_long(some[0]) ? 1 : 0, some.length > 1 ? 1 : 0,
      some[0].w * some[0].h];
    const cases = named.sort((a, b) =>
      rank(b[1]).map((value, i) => value - rank(a[1])[i]).find(Boolean) || 0);
    const place = element('div');
    async function redraw(which) {
      place.replaceChildren();
      const list = cases[which][1];
      await draw_times(place, list);
      await draw_ladder(place, list);
      await draw_sizes(place, all, list[0]);
    }
    if (cases.length) {
      if (cases.length > 1) {
        parent.append(element('p', {}, chooser('data', cases.map(([name]) => name), redraw).label));
      }
      parent.append(place);
      await redraw(0);
    }
    await draw_tunables(parent, all);
  }

  // -------------------------------------------------------------------------------- limits of the device

  // Of each operator and kind of data, at the largest size that no cache holds: the variant of a call.
  const best_of = device => [...groups(runs.filter(run => run.d === device && !run.p && run.b && !run.m),
    run => run.o + ' ' + kind_of_data(run)).values()].map(some => {
    const work = run => run.a || run.b;
    const most = Math.max(...some.map(work));
    const largest = some.filter(run => work(run) === most);
    return largest.find(run => run.c) || least(largest);
  });

  async function draw_limits(parent, device) {
    const list = best_of(device);
    if (!list.length) return;
    const rates = list.map(run => run.b / run.t[0] / 1e6);
    const limit = copy[device] / 1e9, of_copy = 'the rate at which the device copies (reads and writes)';
    parent.append(element('h3', {textContent: devices[device]}));
    if (!limit) {
      parent.append('No file says at which rate this device copies; `bench --report` measures it.');
      return;
    }
    const peak = peak_of(device);
    if (peak) await draw_roofline(parent, list, limit, peak, of_copy);
    const values = list.map((run, i) => ({n: run.n, what: `${run.o} ${run.x}`, share: rates[i] / limit,
      GBps: rates[i], intensity: (run.a || 0) / run.b}))
      .filter(value => !peak || value.intensity < peak / limit);
    if (!values.length) return;
    const y = {field: 'what', type: 'nominal', sort: null, title: null};
    await draw(parent, `Bytes that must be moved, per second, as a share of ${of_copy}: ${digits(limit)} `
      + 'GB/s. Each operator and kind of data is shown at its largest size. What lies under the flat part of '
      + 'the roof is left out here.', {
      data: {values}, height: 16 * values.length, layer: [
        {mark: {type: 'bar', color: '#0072b2', height: 11}, encoding: {y, x: {field: 'share',
          type: 'quantitative', title: 'share of the copy rate', axis: {format: '%'}},
          tooltip: ['n', 'GBps', 'share'].map(field => ({field}))}},
        {mark: {type: 'rule', color: '#d55e00', strokeDash: [4, 3]}, encoding: {x: {datum: 1}}},
      ]});
  }

  const peak_of = device => Math.max(0, ...runs.filter(run => run.d === device && run.a)
    .map(run => run.a / run.t[0] / 1e6));

  async function draw_roofline(parent, list, limit, peak, of_copy) {
    const values = list.filter(run => run.a).map(run => ({n: run.n, operator: run.o, data: run.x,
      intensity: run.a / run.b, GFLOPs: run.a / run.t[0] / 1e6}));
    if (!values.length) return;
    const low = Math.min(.1, ...values.map(value => value.intensity)) / 2;
    const high = Math.max(100, peak / limit * 4, ...values.map(value => value.intensity)) * 2;
    const roof = [low, peak / limit, high].map(intensity => ({intensity,
      GFLOPs: Math.min(peak, intensity * limit)}));
    const names = unique(values.map(value => value.operator));
    const x = {field: 'intensity', type: 'quantitative', scale: {type: 'log'}, title: 'operations per byte'};
    const y = {field: 'GFLOPs', type: 'quantitative', scale: {type: 'log'}, title: 'GFLOP/s'};
    await draw(parent, `The roofline. Its slope is ${of_copy}: `
      + `${digits(limit)} GB/s; its flat part is the greatest arithmetic rate of this report, `
      + `${digits(peak)} GFLOP/s, which is no limit of the device. Data in a CPU's cache is left out.`,
      {height: 340, layer: [
      {data: {values: roof}, mark: {type: 'line', color: '#6e6e6e', strokeWidth: 2}, encoding: {x, y}},
      {data: {values}, mark: {type: 'point', filled: true, opacity: .9, size: 70}, encoding: {x, y,
        color: {field: 'operator', scale: {domain: names, range: LINES}},
        shape: {field: 'operator', scale: {domain: names}},
        tooltip: ['n', 'data', 'GFLOPs', 'intensity'].map(field => ({field}))}},
    ]});
  }

  // ------------------------------------------------------------------------------------------- the page

  if (window.vegaEmbed) {
    document.getElementById('no-plots')?.remove();
    const sections = [...document.querySelectorAll('section.operator')];
    document.querySelector('nav').append(...sections.map(section =>
      element('a', {href: '#' + section.id, textContent: section.id})));
    const limits = document.getElementById('roofline');
    limits.hidden = false;
    for (let device = 0; device < devices.length; device++) {
      await draw_limits(limits.querySelector('.drawn'), device);
    }
    for (const section of sections) await draw_operator(section);
  }
  addEventListener('beforeprint',
    () => document.querySelectorAll('details').forEach(one => { one.open = true; }));
  document.documentElement.dataset.drawn = 'yes';
})();
