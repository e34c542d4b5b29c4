// Traffic of an application in JavaScript on a table service that takes any token: twelve
// keys alike, and from the second second on one that is hot, beside a query that scans.
//
//     node traffic.mjs ENDPOINT SECONDS
const [endpoint, length] = process.argv.slice(2);
const head = { Authorization: 'Bearer any', 'Content-Type': 'application/json', Accept: 'application/json;odata=nometadata', 'x-ms-version': '2019-02-02' };
const ask = async (method, path, body) => {
  const reply = await fetch(`${endpoint}/${path}`, { method, headers: { ...head, Prefer: 'return-no-content' }, body: body && JSON.stringify(body) });
  await reply.arrayBuffer();
  if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.status}`);
};
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

await ask('POST', 'Tables', { TableName: 'Races' });
let row = 0;
const insert = (key) => ask('POST', 'Races', { PartitionKey: key, RowKey: String(row++), Paid: true });
for (let second = 0; second < Number(length); second++) {
  const end = Date.now() + 1000;
  for (let n = 0; n < 12; n++) await insert(`even ${n}`);
  if (second >= 2) await Promise.all(Array.from({ length: 40 }, () => insert('hot')));
  await ask('GET', `Races()?$filter=${encodeURIComponent("PartitionKey ge 'a' and Paid eq false")}`);
  await wait(Math.max(0, end - Date.now()));
}
