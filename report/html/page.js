"use strict";
// Draws each series with uPlot when it becomes visible, and synchronizes their cursors.
// Errors leave the page readable.
(() => {
  const dashes = [[], [7, 4], [1.5, 4], [10, 4, 1.5, 4]];
  const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
  const steps = [5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400];
  const round = Array.from({ length: 20 }, (_, power) => [1, 2, 5].map((digit) => Number(digit + "e" + (power - 4)))).flat();
  const drawings = [];

  const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const show = (v) => (v == null ? "–" : number.format(v));
  const clock = (long) => (v) => {
    if (!long) return number.format(v);
    const seconds = Math.abs(v) % 60;
    return (v < 0 ? "−" : "") + Math.floor(Math.abs(v) / 60) + ":" + (seconds < 10 ? "0" : "") + number.format(seconds);
  };

  // marks draws events, behind the lines.
  const marks = (data) => (u) => {
    const { ctx, bbox } = u, dots = uPlot.pxRatio;
    let free = -Infinity;
    ctx.save();
    ctx.font = 11 * dots + "px system-ui, sans-serif";
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    for (const m of data.marks || []) {
      if (m.x < u.scales.x.min || m.x > u.scales.x.max) continue;
      const x = Math.round(u.valToPos(m.x, "x", true));
      ctx.strokeStyle = ctx.fillStyle = ink(m.balance ? "event" : "rule");
      ctx.lineWidth = dots;
      ctx.setLineDash(m.balance ? [] : [2 * dots, 3 * dots]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top - 6 * dots);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const words = Array.from(m.text), name = words.length > 22 ? words.slice(0, 21).join("") + "…" : m.text;
      const wide = ctx.measureText(name).width;
      if (x > free && x + wide < bbox.left + bbox.width) {
        if (!m.balance) ctx.fillStyle = ink("faded");
        ctx.fillText(name, x + 3 * dots, bbox.top - 2 * dots);
        free = x + wide + 8 * dots;
      }
    }
    ctx.restore();
  };

  // scale is from zero to above the maximum, and includes the level unless the lines would be
  // flat. A logarithmic scale has whole decades.
  const scale = (data) => (u, min, max) => {
    if (data.log) return min == null ? [1, 10] : uPlot.rangeLog(min, max, 10, true);
    if (data.level && (max == null || data.level.value <= 4 * max)) max = Math.max(max ?? 0, data.level.value);
    return [Math.min(0, min ?? 0), (max ?? 0) > 0 ? max * 1.08 : 1];
  };
  const decades = (u) => {
    const at = [];
    for (let v = u.scales.y.min; v <= u.scales.y.max * 1.001; v *= 10) at.push(Number(v.toPrecision(1)));
    return at;
  };

  // level draws the reference level, in front of the lines.
  const level = (data) => (u) => {
    if (!data.level || data.level.value < u.scales.y.min || data.level.value > u.scales.y.max) return;
    const { ctx, bbox } = u, dots = uPlot.pxRatio;
    const y = Math.round(u.valToPos(data.level.value, "y", true));
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = ink("target");
    ctx.lineWidth = 1.5 * dots;
    ctx.setLineDash([7 * dots, 4 * dots]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.font = "600 " + 11 * dots + "px system-ui, sans-serif";
    ctx.textAlign = "right";
    ctx.textBaseline = "alphabetic";
    ctx.fillText(data.level.name + " " + show(data.level.value), bbox.left + bbox.width - 4 * dots,
      y - bbox.top < 14 * dots ? y + 14 * dots : y - 5 * dots); // below the names of marks
    ctx.restore();
  };

  const axis = (more) => ({
    stroke: () => ink("faded"), font: "12px system-ui, sans-serif",
    grid: { stroke: () => ink("hairline"), width: 1 }, ticks: { show: false }, ...more,
  });

  // alone returns the indexes of values without a neighbor: they are drawn as points.
  const alone = (values) => {
    const at = [];
    values.forEach((v, i) => { if (v != null && values[i - 1] == null && values[i + 1] == null) at.push(i); });
    return at;
  };

  const tall = (width) => Math.max(220, Math.min(300, width * 0.45));
  const options = (figure, data, width) => ({
    width, height: tall(width),
    padding: [26, 14, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: "run", scales: ["x", null] }, drag: { x: true, y: false }, points: { size: 7 } },
    scales: {
      x: { time: false, range: (u, from, to) => (from == null ? data.span : [from, to]) },
      y: { range: scale(data), distr: data.log ? 3 : 1 },
    },
    axes: [
      axis({
        grid: { show: false }, incrs: data.long ? steps : round,
        values: (u, at) => at.map(clock(data.long)), size: 44, labelSize: 18,
        label: data.long ? "since the start of the run, min:s" : "since the start of the run, s",
        labelFont: "12px system-ui, sans-serif",
      }),
      // uPlot drops every second tick of a narrow logarithmic axis; ours have room.
      axis(data.log
        ? { size: 64, splits: decades, filter: (u, at) => at, values: (u, at) => at.map(show) }
        : { size: 64, incrs: round, values: (u, at) => at.map(show) }),
    ],
    series: [{}].concat(data.lines.map((l, i) => ({
      label: l.name, stroke: () => ink(l.meaning), width: 1.75, dash: dashes[l.dash], cap: "round",
      points: { size: 4, filter: () => alone(data.y[i]) },
    }))),
    hooks: {
      drawAxes: [marks(data)],
      draw: [level(data)],
      setCursor: [(u) => showValues(figure, data, u.cursor.idx)],
      setScale: [(u) => {
        const whole = figure.querySelector(".whole");
        const { min, max } = u.scales.x;
        if (whole) whole.hidden = !(min > data.span[0] || max < data.span[1]);
      }],
    },
  });

  // showValues shows the values of one instant in the legend, and moves the slider there.
  const showValues = (figure, data, at) => {
    const none = at == null || !(at in data.x);
    figure.querySelectorAll(".value").forEach((out, i) => { out.textContent = none ? "" : show(data.y[i][at]); });
    const when = none ? "" : "at " + clock(data.long)(data.x[at]) + (data.long ? "" : " s");
    figure.querySelector(".at").textContent = when;
    const slider = figure.querySelector("input");
    if (none || !slider) return;
    slider.value = at;
    slider.setAttribute("aria-valuetext", when + ": " + data.lines.map((l, i) => l.name + " " + show(data.y[i][at])).join(", "));
  };

  const span = (data) => {
    data.span = [data.x[0], Math.max(data.x.at(-1), data.x[0] + 1)];
    data.long = data.span[1] - data.span[0] > 180;
  };

  const draw = (figure, data) => {
    if (data.x.length === 0) return;
    span(data);
    const live = figure.querySelector(".live");
    live.hidden = false;
    const u = new uPlot(options(figure, data, live.clientWidth || 320), [data.x].concat(data.y), live);
    const canvas = live.querySelector("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-labelledby", figure.id + "-name");
    canvas.setAttribute("aria-describedby", figure.id + "-says");
    drawings.push({ u, live, figure, data });
    drawn?.observe(live);
    figure.querySelectorAll(".key").forEach((key, i) => {
      key.disabled = false;
      key.onclick = () => {
        const on = key.getAttribute("aria-pressed") === "false";
        key.setAttribute("aria-pressed", String(on));
        u.setSeries(i + 1, { show: on });
      };
      if (key.getAttribute("aria-pressed") === "false") u.setSeries(i + 1, { show: false });
    });
    const slider = figure.querySelector("input");
    if (slider) {
      slider.closest(".scrub").hidden = false;
      slider.oninput = () => {
        u.setCursor({ left: u.valToPos(data.x[Number(slider.value)], "x"), top: 10 }, true, true);
      };
      figure.querySelector(".whole").onclick = () => {
        for (const other of drawings) other.u.setScale("x", { min: null, max: null });
      };
    }
  };

  // redraw replaces the numbers of a figure and keeps the visible range.
  const redraw = (figure, fresh) => {
    const one = drawings.find((drawing) => drawing.figure === figure);
    const slider = figure.querySelector("input");
    if (slider) slider.max = Math.max(0, fresh.x.length - 1);
    if (!one) {
      if (figure.clientWidth === 0) return;
      figure.dataset.drawn = "";
      draw(figure, fresh);
      return;
    }
    const { data, u } = one, whole = figure.querySelector(".whole"), was = [data.long, data.log];
    Object.assign(data, fresh);
    span(data);
    if (data.long !== was[0] || data.log !== was[1]) {
      // Axes cannot be changed later.
      drawings.splice(drawings.indexOf(one), 1);
      u.destroy();
      draw(figure, data);
      return;
    }
    const all = whole ? whole.hidden : true;
    u.setData([data.x].concat(data.y), all);
    if (!all) u.redraw();
    if (u.cursor.idx != null) showValues(figure, data, u.cursor.idx);
  };

  const each = (selector, call) => document.querySelectorAll(selector).forEach((element) => {
    try { call(element); } catch (fault) { console.error(fault); }
  });

  let drawn;
  if (typeof uPlot !== "undefined") {
    drawn = new ResizeObserver(() => {
      for (const { u, live } of drawings) {
        const width = live.clientWidth;
        if (width > 0 && width !== u.width) u.setSize({ width, height: tall(width) });
      }
    });
    // Closed parts have no width: their figures are drawn when they open.
    const unfolded = () => each("figure.series:not([data-drawn])", (figure) => {
      if (figure.clientWidth === 0) return;
      figure.dataset.drawn = "";
      draw(figure, JSON.parse(figure.querySelector("script.data").textContent));
    });
    unfolded();
    document.addEventListener("figures", ({ detail }) => {
      for (const [id, fresh] of Object.entries(detail)) {
        const figure = document.getElementById(id);
        if (figure) redraw(figure, fresh);
      }
      stops();
    });
    each(".part", (part) => part.addEventListener("toggle", () => { unfolded(); stops(); }));
    addEventListener("beforeprint", () => { each(".part", (part) => { part.open = true; }); unfolded(); });
    for (const inks of ["(prefers-color-scheme: dark)", "print"]) matchMedia(inks).addEventListener("change", () => {
      for (const { u } of drawings) u.redraw(false, true);
    });
  }

  // Only regions that scroll get keyboard focus.
  function stops() {
    each(".scroll", (region) => {
      const wide = region.scrollWidth > region.clientWidth;
      region.toggleAttribute("data-wide", wide);
      if (wide) region.setAttribute("tabindex", "0");
      else region.removeAttribute("tabindex");
    });
  }
  stops();
  addEventListener("resize", stops);

  // A link of the contents opens its part, which not every browser does.
  const unfold = () => {
    const part = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest(".part");
    if (part && !part.open) { part.open = true; part.scrollIntoView(); }
  };
  unfold();
  addEventListener("hashchange", unfold);

  // The contents mark the part in view.
  const links = new Map();
  each(".contents a", (link) => links.set(decodeURIComponent(link.hash.slice(1)), link));
  const seen = new Set();
  const watch = new IntersectionObserver((entries) => {
    for (const e of entries) seen[e.isIntersecting ? "add" : "delete"](e.target.id);
    let found = false;
    for (const [id, link] of links) {
      if (!found && seen.has(id)) { link.setAttribute("aria-current", "true"); found = true; }
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-10% 0px -60% 0px" });
  each(".part > section", (part) => watch.observe(part));

  if (navigator.clipboard) each(".copy", (button) => {
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
        button.textContent = "Copied";
      } catch { button.textContent = "Select the text to copy it"; }
    });
  });
})();
