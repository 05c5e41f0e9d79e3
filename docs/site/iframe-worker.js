// A Worker for pages that are opened as files, for which browsers have none: its script runs in a hidden
// frame. The search of the site needs it.
if (location.protocol === "file:") {
    window.Worker = class extends EventTarget {
        constructor(url) {
            super();
            const frame = document.body.appendChild(document.createElement("iframe"));
            frame.hidden = true;
            const inside = frame.contentWindow;
            const load = source => new Promise((done, failed) => {
                const script = inside.document.createElement("script");
                Object.assign(script, {src: source, onload: done, onerror: failed});
                inside.document.body.append(script);
            });
            inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
            inside.importScripts = (...sources) => Promise.all(sources.map(load));
            const loaded = load(new URL(url, document.baseURI));
            this.postMessage = data => loaded.then(
                () => inside.dispatchEvent(new MessageEvent("message", {data})));
        }
    };
}
