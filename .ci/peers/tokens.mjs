// @azure/data-tables with a token credential, against a table service over https that takes
// any bearer token, whose address is in LOADGEN_TABLES:
//
//     LOADGEN_TABLES=https://127.0.0.1:.../devstoreaccount1 node --test .ci/peers/tokens.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableClient, TableServiceClient } from '@azure/data-tables';

const address = process.env.LOADGEN_TABLES;
assert.ok(address, 'LOADGEN_TABLES is not set');

// who is a credential that takes down what its tokens were asked for.
function who(token) {
  const asked = [];
  return {
    asked,
    async getToken(scopes) {
      asked.push([scopes].flat().join(' '));
      return { token, expiresOnTimestamp: Date.now() + 3600e3 };
    },
  };
}
const once = { retryOptions: { maxRetries: 0 } };

test('a program with a token credential reads and writes', async () => {
  const credential = who('made-up');
  const service = new TableServiceClient(address, credential, once);
  await service.createTable('Tokens');
  const table = new TableClient(address, 'Tokens', credential, once);
  await table.createEntity({ partitionKey: 'p', rowKey: '1', name: 'Jones' });
  await table.submitTransaction([
    ['upsert', { partitionKey: 'p', rowKey: '1', name: 'Smith' }, 'Merge'],
    ['create', { partitionKey: 'p', rowKey: '2' }],
  ]);
  const rows = [];
  for await (const one of table.listEntities()) rows.push(one.rowKey + (one.name ?? ''));
  assert.deepEqual(rows, ['1Smith', '2']);
  await service.deleteTable('Tokens');
  assert.ok(credential.asked.length > 0);
  assert.ok(credential.asked.every((scope) => scope === 'https://storage.azure.com/.default'), credential.asked.join());
});

test('a request without a token is told where tokens are to be had', async () => {
  const reply = await fetch(address + '/Tables');
  assert.equal(reply.status, 401);
  assert.equal(reply.headers.get('x-ms-error-code'), 'InvalidAuthenticationInfo');
  assert.match(reply.headers.get('www-authenticate'),
    /^Bearer authorization_uri=https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/oauth2\/authorize resource_id=https:\/\/storage\.azure\.com$/);
});
