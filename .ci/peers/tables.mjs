// A client of another make, @azure/data-tables, against the table service whose
// connection string is in LOADGEN_TABLES:
//
//     LOADGEN_TABLES=... node --test .ci/peers/tables.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AzureNamedKeyCredential, AzureSASCredential, TableClient, TableServiceClient, TableTransaction,
  generateAccountSas, generateTableSas, odata,
} from '@azure/data-tables';

const connection = process.env.LOADGEN_TABLES;
assert.ok(connection, 'LOADGEN_TABLES is not set');
const settings = Object.fromEntries(connection.split(';').filter(Boolean).map((pair) => {
  const cut = pair.indexOf('=');
  return [pair.slice(0, cut), pair.slice(cut + 1)];
}));
const once = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
const service = TableServiceClient.fromConnectionString(connection, once);
const credential = new AzureNamedKeyCredential(settings.AccountName, settings.AccountKey);
let number = 0;

// fresh makes a table of its own for a test, which goes with it.
async function fresh(t) {
  const name = `peer${process.pid}x${number++}`;
  const client = TableClient.fromConnectionString(connection, name, once);
  await client.createTable();
  t.after(() => client.deleteTable());
  return client;
}

// refusal asserts that a call fails with a status and a code.
async function refusal(promise, status, code) {
  await assert.rejects(promise, (err) => {
    assert.equal(err.statusCode, status, err.message);
    const said = err.details?.odataError?.code ?? err.details?.errorCode ?? err.code;
    assert.equal(said, code);
    return true;
  });
}

async function collect(pages) {
  const list = [];
  for await (const one of pages) list.push(one);
  return list;
}

test('tables are made, listed and dropped', async (t) => {
  const client = await fresh(t);
  const names = (await collect(service.listTables())).map((table) => table.name);
  assert.ok(names.includes(client.tableName));
  const found = await collect(service.listTables({ queryOptions: { filter: odata`TableName eq ${client.tableName}` } }));
  assert.deepEqual(found.map((table) => table.name), [client.tableName]);
  await refusal(TableClient.fromConnectionString(connection, 'missing', once).createEntity({ partitionKey: 'p', rowKey: 'r' }), 404, 'TableNotFound');
});

test('every type comes back as it was sent', async (t) => {
  const client = await fresh(t);
  const sent = {
    partitionKey: "O'Brien & Söhne %20", rowKey: '', text: 'späte "Zeile"\n\u{1F3C3}', yes: true, small: 42, big: 5432873627392n, half: 4.5,
    when: new Date('2011-11-06T09:40:00.123Z'), bytes: new Uint8Array([0, 1, 254, 255]),
    id: { type: 'Guid', value: 'dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2' }, whole: { type: 'Double', value: '3' },
  };
  await client.createEntity(sent);
  const got = await client.getEntity(sent.partitionKey, sent.rowKey);
  for (const name of ['partitionKey', 'rowKey', 'text', 'yes', 'small', 'big', 'half']) assert.deepEqual(got[name], sent[name], name);
  assert.equal(new Date(got.when).getTime(), sent.when.getTime());
  assert.deepEqual([...got.bytes], [...sent.bytes]);
  assert.equal(got.id.value ?? got.id, sent.id.value);
  assert.equal(Number(got.whole.value ?? got.whole), 3);
  assert.match(got.etag, /^W\/"datetime'.*'"$/);
});

test('updates merge, replace and depend on the version', async (t) => {
  const client = await fresh(t);
  const key = { partitionKey: 'p', rowKey: 'r' };
  await client.createEntity({ ...key, a: 1, b: 'x' });
  await refusal(client.createEntity({ ...key }), 409, 'EntityAlreadyExists');
  await client.updateEntity({ ...key, a: 2 }, 'Merge');
  let got = await client.getEntity('p', 'r');
  assert.deepEqual([got.a, got.b], [2, 'x']);
  const old = got.etag;
  await client.updateEntity({ ...key, c: true }, 'Replace', { etag: old });
  got = await client.getEntity('p', 'r');
  assert.deepEqual([got.a, got.b, got.c], [undefined, undefined, true]);
  await refusal(client.updateEntity({ ...key, c: false }, 'Replace', { etag: old }), 412, 'UpdateConditionNotSatisfied');
  await client.upsertEntity({ partitionKey: 'p', rowKey: 'new', a: 1 }, 'Merge');
  await client.upsertEntity({ partitionKey: 'p', rowKey: 'new', b: 1 }, 'Replace');
  got = await client.getEntity('p', 'new');
  assert.deepEqual([got.a, got.b], [undefined, 1]);
  await refusal(client.updateEntity({ partitionKey: 'p', rowKey: 'none' }, 'Merge'), 404, 'ResourceNotFound');
  await client.deleteEntity('p', 'r');
  await refusal(client.getEntity('p', 'r'), 404, 'ResourceNotFound');
});

test('a transaction is done whole or not at all', async (t) => {
  const client = await fresh(t);
  await client.createEntity({ partitionKey: 'p', rowKey: 'old', n: 1 });
  const good = new TableTransaction();
  for (let i = 0; i < 98; i++) good.createEntity({ partitionKey: 'p', rowKey: `r${i}`, n: i });
  good.updateEntity({ partitionKey: 'p', rowKey: 'old', n: 2 }, 'Merge');
  good.upsertEntity({ partitionKey: 'p', rowKey: 'up', n: 3 }, 'Replace');
  const done = await client.submitTransaction(good.actions);
  assert.equal(done.status, 202);
  assert.equal(done.subResponses.length, 100);
  assert.ok(done.subResponses.every((part) => part.status === 204));
  const bad = new TableTransaction();
  bad.createEntity({ partitionKey: 'p', rowKey: 'fresh' });
  bad.createEntity({ partitionKey: 'p', rowKey: 'old' });
  await refusal(client.submitTransaction(bad.actions), 409, 'EntityAlreadyExists');
  await refusal(client.getEntity('p', 'fresh'), 404, 'ResourceNotFound');
  assert.equal((await collect(client.listEntities())).length, 100);
});

test('queries filter, select and go on page by page', async (t) => {
  const client = await fresh(t);
  for (let batch = 0; batch < 12; batch++) {
    const work = new TableTransaction();
    for (let i = 0; i < 100; i++) {
      const n = batch * 100 + i;
      work.createEntity({ partitionKey: 'ü', rowKey: String(n).padStart(5, '0'), n, even: n % 2 === 0, name: `it's ${n}` });
    }
    await client.submitTransaction(work.actions);
  }
  const all = await collect(client.listEntities());
  assert.equal(all.length, 1200);
  assert.deepEqual(all.map((one) => one.rowKey), [...all.map((one) => one.rowKey)].sort());
  const sizes = [];
  for await (const page of client.listEntities({ queryOptions: { filter: odata`PartitionKey eq ${'ü'} and n ge ${1150}` } }).byPage({ maxPageSize: 20 })) sizes.push(page.length);
  assert.equal(sizes.reduce((a, b) => a + b, 0), 50);
  assert.ok(sizes.every((size) => size <= 20));
  const some = await collect(client.listEntities({ queryOptions: { filter: odata`even eq ${true} and n lt ${10}`, select: ['rowKey', 'n'] } }));
  assert.deepEqual(some.map((one) => one.n), [0, 2, 4, 6, 8]);
  assert.ok(some.every((one) => one.name === undefined));
  assert.equal((await collect(client.listEntities({ queryOptions: { filter: odata`name eq ${"it's 7"}` } }))).length, 1);
  await refusal(collect(client.listEntities({ queryOptions: { filter: 'n gt' } })), 400, 'InvalidInput');
});

test('shared access signatures open what they say', async (t) => {
  const client = await fresh(t);
  await client.createEntity({ partitionKey: '2', rowKey: '2' });
  await client.createEntity({ partitionKey: '9', rowKey: '9' });
  const at = (sas) => new TableClient(settings.TableEndpoint, client.tableName, new AzureSASCredential(sas), once);
  const expiresOn = new Date(Date.now() + 3600_000);
  const account = at(generateAccountSas(credential, { expiresOn, permissions: { query: true, add: true }, resourceTypes: 'sco', services: { table: true } }));
  assert.equal((await account.getEntity('2', '2')).rowKey, '2');
  await account.createEntity({ partitionKey: '2', rowKey: '3' });
  await refusal(account.deleteEntity('2', '3'), 403, 'AuthorizationPermissionMismatch');
  const table = at(generateTableSas(client.tableName, credential, {
    expiresOn, permissions: { query: true }, startPartitionKey: '1', startRowKey: '1', endPartitionKey: '3', endRowKey: '3',
  }));
  assert.deepEqual((await collect(table.listEntities())).map((one) => one.rowKey), ['2', '3']);
  await assert.rejects(table.getEntity('9', '9'), (err) => err.statusCode === 403 || err.statusCode === 404);
  await refusal(at(generateTableSas(client.tableName, credential, { expiresOn: new Date(Date.now() - 60_000), permissions: { query: true } })).getEntity('2', '2'),
    403, 'AuthenticationFailed');
});

test('policies of a table and properties of the service are kept', async (t) => {
  const client = await fresh(t);
  await client.setAccessPolicy([{ id: 'readers', accessPolicy: { permission: 'r', expiry: new Date('2030-01-01T00:00:00Z') } }]);
  const policies = await client.getAccessPolicy();
  assert.deepEqual(policies.map((one) => [one.id, one.accessPolicy.permission]), [['readers', 'r']]);
  await client.setAccessPolicy([]);
  assert.equal((await client.getAccessPolicy()).length, 0);
  await service.setProperties({ cors: [{ allowedHeaders: '*', allowedMethods: 'GET', allowedOrigins: 'https://races.example.net', exposedHeaders: '', maxAgeInSeconds: 60 }] });
  const properties = await service.getProperties();
  assert.equal(properties.cors[0].allowedOrigins, 'https://races.example.net');
  await service.setProperties({ cors: [] });
});
