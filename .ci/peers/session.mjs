// A session store, connect-azuretables, as express-session uses it, against the table
// service whose connection string is in LOADGEN_TABLES.
//
//     LOADGEN_TABLES=... node --test .ci/peers/session.mjs
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import session from 'express-session';
import connect from 'connect-azuretables';

assert.ok(process.env.LOADGEN_TABLES, 'LOADGEN_TABLES is not set');
process.env.AZURE_STORAGE_CONNECTION_STRING = process.env.LOADGEN_TABLES;

// The store's job for cleaning up is nobody's to stop, and keeps the process.
after(() => setTimeout(process.exit, 100).unref());

// until asks again and again, for at most ten seconds.
async function until(what, there) {
  for (let tries = 0; tries < 100; tries++) {
    if (await there()) return;
    await new Promise((go) => { setTimeout(go, 100); });
  }
  assert.fail(`waited in vain for ${what}`);
}

test('sessions are kept, touched, destroyed and cleaned up', async () => {
  const told = [];
  // No job of its own: the process would not end.
  const store = connect(session).create({ table: `sessions${process.pid}`, sessionTimeOut: 1, overrideCron: '0 0 0 1 1 *',
    logger: (line) => told.push(line), errorLogger: (line) => assert.fail(line) });
  await until('the table', () => told.some((line) => line.includes('created table')));
  const [get, set, touch, destroy] = ['get', 'set', 'touch', 'destroy'].map((name) => promisify(store[name]).bind(store));
  const cookie = { originalMaxAge: 60_000, expires: new Date(Date.now() + 60_000) };
  await set('user:1', { cookie, cart: ['späte Schuhe', '"Trikot"'] });
  assert.deepEqual((await get('user:1')).cart, ['späte Schuhe', '"Trikot"']);
  await touch('user:1', { cookie, cart: [] });
  assert.deepEqual((await get('user:1')).cart, []);
  assert.equal(await get('user:2'), undefined);
  await destroy('user:1');
  assert.equal(await get('user:1'), undefined);

  const over = { originalMaxAge: 1, expires: new Date(Date.now() - 120_000) };
  for (let user = 0; user < 20; user++) await set(`late:${user}`, { cookie: user % 2 ? cookie : over, user });
  store.cleanUp();
  await until('the clean-up', () => told.filter((line) => line.startsWith('cleaned up session')).length >= 10);
  assert.equal(await get('late:0'), undefined);
  await promisify(store.tableService.deleteTable).call(store.tableService, store.table);
});
