"use strict";
// Updates the page while the run is in progress, and stops the run on request.
(() => {
  const says = document.getElementById("live-says"), bar = document.getElementById("live");
  const stop = document.getElementById("stop"), asks = document.getElementById("stop-asks");
  const parser = new DOMParser();
  const say = (text, state) => { says.textContent = text; bar.dataset.state = state; };
  const text = (id, words) => {
    const at = document.getElementById(id);
    if (at && at.textContent !== words) at.textContent = words;
  };

  // inside replaces the content of an element by that of the element with its ID in a part,
  // or by the whole part if there is none.
  const inside = (id, part) => {
    const at = document.getElementById(id), parsed = parser.parseFromString(part, "text/html");
    const fresh = parsed.getElementById(id) ?? parsed.body;
    if (!at || at.innerHTML === fresh.innerHTML) return;
    at.replaceChildren(...document.importNode(fresh, true).childNodes);
  };

  const source = new EventSource("events");
  let stopping = false;
  const leave = (words) => {
    source.close();
    if (asks?.open) asks.close();
    if (stop) stop.hidden = true;
    say(words, "over");
  };
  source.addEventListener("update", (event) => {
    const fresh = JSON.parse(event.data);
    say(stopping ? "stopping … " + fresh.says : fresh.says, "live");
    if (document.title !== fresh.title) document.title = fresh.title;
    for (const [id, words] of Object.entries(fresh.texts)) text(id, words);
    for (const [id, part] of Object.entries(fresh.parts)) inside(id, part);
    document.dispatchEvent(new CustomEvent("figures", { detail: fresh.series }));
  });
  source.addEventListener("report", (event) => {
    leave("the run is over");
    document.open();
    document.write(JSON.parse(event.data));
    document.close();
  });
  source.addEventListener("ended", (event) => leave(JSON.parse(event.data)));
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) leave("updates have ended: these figures are the last received");
    else say("connection lost: these figures are the last received; reconnecting …", "lost");
  });

  if (!stop) return;
  stop.addEventListener("click", () => asks.showModal());
  document.getElementById("stop-no").addEventListener("click", () => asks.close());
  document.getElementById("stop-yes").addEventListener("click", async () => {
    asks.close();
    stop.disabled = true;
    try {
      const reply = await fetch("stop", { method: "POST" });
      if (!reply.ok) throw new Error(reply.statusText);
      stopping = true;
    } catch {
      stop.disabled = false;
      say("the run could not be stopped: no answer", "lost");
    }
  });
})();
