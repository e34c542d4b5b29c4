// A client of a make that is no longer kept, azure-storage, against the table service
// whose connection string is in LOADGEN_TABLES: a club that keeps its runners.
//
//     LOADGEN_TABLES=... node --test .ci/peers/storage.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promisify } from 'node:util';
import storage from 'azure-storage';

const connection = process.env.LOADGEN_TABLES;
assert.ok(connection, 'LOADGEN_TABLES is not set');
const { entityGenerator: of } = storage.TableUtilities;
const service = storage.createTableService(connection);

// calls has the methods of a service return promises of their results.
function calls(of) {
  return new Proxy(of, { get: (target, name) => promisify(target[name]).bind(target) });
}
const tables = calls(service);
let number = 0;

// fresh makes a table of its own for a test, which goes with it.
async function fresh(t) {
  const name = `club${process.pid}x${number++}`;
  assert.equal((await tables.createTableIfNotExists(name)).created, true);
  assert.equal((await tables.createTableIfNotExists(name)).created, false);
  t.after(() => tables.deleteTableIfExists(name));
  return name;
}

const runner = (row, age, more) => ({ PartitionKey: of.String("O'Hara"), RowKey: of.String(row), Age: of.Int32(age), ...more });

async function refusal(promise, status, code) {
  await assert.rejects(promise, (err) => {
    assert.equal(err.statusCode, status, err.message);
    assert.equal(err.code, code);
    return true;
  });
}

test('entities of every type are inserted, read, merged and replaced', async (t) => {
  const table = await fresh(t);
  const born = new Date('1974-05-01T10:30:00.123Z');
  const inserted = await tables.insertEntity(table, runner('1', 37, {
    Born: of.DateTime(born), Best: of.Double(3.5), Steps: of.Int64('9007199254740993'), Fast: of.Boolean(true),
    Id: of.Guid('dd3cb8f8-93b7-4f3c-9b0b-2f6f3f6f3f6f'), Photo: of.Binary(Buffer.from([0, 255])), Name: of.String('Zoë "Z" O\'Neill'),
  }));
  await refusal(tables.insertEntity(table, runner('1', 1)), 409, 'EntityAlreadyExists');
  const read = await tables.retrieveEntity(table, "O'Hara", '1');
  assert.equal(read.Age._, 37);
  assert.equal(read.Steps._, '9007199254740993');
  assert.equal(read.Born._.toISOString(), born.toISOString());
  assert.deepEqual([...read.Photo._], [0, 255]);
  assert.equal(read.Name._, 'Zoë "Z" O\'Neill');
  assert.equal(read['.metadata'].etag, inserted['.metadata'].etag);

  await tables.mergeEntity(table, { ...runner('1', 38), '.metadata': { etag: read['.metadata'].etag } });
  assert.equal((await tables.retrieveEntity(table, "O'Hara", '1')).Fast._, true);
  await refusal(tables.replaceEntity(table, { ...runner('1', 39), '.metadata': { etag: read['.metadata'].etag } }), 412, 'UpdateConditionNotSatisfied');
  await tables.insertOrReplaceEntity(table, runner('1', 39));
  assert.equal((await tables.retrieveEntity(table, "O'Hara", '1')).Fast, undefined);
  await tables.insertOrMergeEntity(table, runner('2', 20));
  await tables.deleteEntity(table, runner('2', 0));
  await refusal(tables.retrieveEntity(table, "O'Hara", '2'), 404, 'ResourceNotFound');
  await refusal(tables.insertEntity('missing', runner('1', 1)), 404, 'TableNotFound');
});

test('transactions are carried out as a whole, or not at all', async (t) => {
  const table = await fresh(t);
  const batch = new storage.TableBatch();
  for (let row = 0; row < 100; row++) batch.insertEntity(runner(String(row).padStart(3, '0'), row), { echoContent: row === 0 });
  assert.equal((await tables.executeBatch(table, batch)).length, 100);

  const mixed = new storage.TableBatch();
  mixed.deleteEntity(runner('000', 0));
  mixed.mergeEntity(runner('001', 90));
  mixed.replaceEntity(runner('002', 91));
  mixed.insertOrReplaceEntity(runner('200', 92));
  mixed.insertOrMergeEntity(runner('201', 93));
  assert.equal((await tables.executeBatch(table, mixed)).length, 5);

  const refused = new storage.TableBatch();
  refused.deleteEntity(runner('003', 0));
  refused.insertEntity(runner('004', 1));
  await refusal(tables.executeBatch(table, refused), 409, 'EntityAlreadyExists');
  assert.equal((await tables.retrieveEntity(table, "O'Hara", '003')).Age._, 3);

  const lone = new storage.TableBatch();
  lone.retrieveEntity("O'Hara", '004');
  const [reply] = await tables.executeBatch(table, lone);
  assert.equal(reply.entity.Age._, 4);
});

test('queries go on where they stopped', async (t) => {
  const table = await fresh(t);
  for (let from = 0; from < 1200; from += 100) {
    const batch = new storage.TableBatch();
    for (let row = from; row < from + 100; row++) batch.insertEntity(runner(String(row).padStart(4, '0'), row % 50));
    await tables.executeBatch(table, batch);
  }
  const query = new storage.TableQuery().select('Age', 'RowKey').where('PartitionKey eq ?', "O'Hara").and('Age lt ?', 25);
  const rows = [];
  let token = null;
  do {
    const page = await tables.queryEntities(table, query, token);
    rows.push(...page.entries.map((one) => one.RowKey._));
    token = page.continuationToken;
  } while (token);
  assert.equal(rows.length, 600);
  assert.deepEqual(rows, [...rows].sort());
  const listed = await tables.listTablesSegmentedWithPrefix(table, null);
  assert.deepEqual(listed.entries, [table]);
});

test('policies, properties and signatures', async (t) => {
  const table = await fresh(t);
  await tables.insertEntity(table, runner('1', 37));
  const until = new Date(Date.now() + 3600_000);
  await tables.setTableAcl(table, { readers: { Permissions: 'r', Start: new Date(Date.now() - 3600_000), Expiry: until } });
  assert.equal((await tables.getTableAcl(table)).signedIdentifiers.readers.Permissions, 'r');
  const host = service.host.primaryHost;
  const bearer = calls(storage.createTableServiceWithSas(host, service.generateSharedAccessSignature(table, { Id: 'readers' })));
  assert.equal((await bearer.retrieveEntity(table, "O'Hara", '1')).Age._, 37);
  await refusal(bearer.insertEntity(table, runner('2', 1)), 403, 'AuthorizationPermissionMismatch');

  const properties = await tables.getServiceProperties();
  properties.HourMetrics = { Version: '1.0', Enabled: true, IncludeAPIs: true, RetentionPolicy: { Enabled: true, Days: 366 } };
  await refusal(tables.setServiceProperties(properties), 400, 'InvalidXmlDocument');
  properties.HourMetrics.RetentionPolicy.Days = 7;
  await tables.setServiceProperties(properties);
  assert.equal((await tables.getServiceProperties()).HourMetrics.RetentionPolicy.Days, 7);
});
