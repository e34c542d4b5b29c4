// A repository of NestJS, @nestjs/azure-database, against the table service whose
// connection string is in LOADGEN_TABLES: an application with one entity.
//
//     LOADGEN_TABLES=... node --test .ci/peers/nest.mjs
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import common from '@nestjs/common';
import { TableClient, TableServiceClient } from '@azure/data-tables';
import { NestFactory } from '@nestjs/core';
import azure from '@nestjs/azure-database';

assert.ok(process.env.LOADGEN_TABLES, 'LOADGEN_TABLES is not set');
process.env.AZURE_STORAGE_CONNECTION_STRING = process.env.LOADGEN_TABLES;

// Decorators by hand: no compiler writes them here.
class Runner {}
for (const [name, type, mark] of [['name', String, azure.EntityString()], ['age', Number, azure.EntityInt32()], ['fast', Boolean, azure.EntityBoolean()]]) {
  Reflect.defineMetadata('design:type', type, Runner.prototype, name);
  mark(Runner.prototype, name);
}
azure.EntityPartitionKey('race')(Runner);
azure.EntityRowKey('bib')(Runner);

const table = `nest${process.pid}`;
class Application {}
common.Module({
  imports: [azure.AzureTableStorageModule.forFeature(Runner, { table, createTableIfNotExists: true })],
})(Application);

test('a repository creates, finds, updates and deletes', async () => {
  const application = await NestFactory.createApplicationContext(Application, { logger: false, abortOnError: false });
  const runners = application.get(azure.AzureTableStorageRepository, { strict: false });
  if (process.env.LOADGEN_TABLES.includes('Protocol=http;')) {
    // The module has no way to say that it may go without https: its clients do.
    const insecure = { allowInsecureConnection: true };
    runners.manager.tableServiceClient = TableServiceClient.fromConnectionString(process.env.LOADGEN_TABLES, insecure);
    runners.manager.tableClient = TableClient.fromConnectionString(process.env.LOADGEN_TABLES, table, insecure);
  }
  assert.ok(await runners.create({ partitionKey: 'NYC 2011', rowKey: '1', name: 'Kim', age: 37, fast: true }));
  for (let bib = 2; bib <= 30; bib++) await runners.create({ partitionKey: 'NYC 2011', rowKey: String(bib), name: 'Lee', age: bib });
  const found = await runners.find('NYC 2011', '1');
  assert.equal(found.name, 'Kim');
  assert.equal(found.age, 37);
  assert.ok(await runners.update('NYC 2011', '1', { age: 38 }));
  assert.equal((await runners.find('NYC 2011', '1')).age, 38);
  assert.equal(await runners.find('NYC 2011', 'nobody'), null);
  assert.equal((await runners.findAll()).length, 30);
  await runners.delete('NYC 2011', '1');
  assert.equal((await runners.findAll()).length, 29);
  await runners.tableServiceClientInstance.deleteTable(table);
  await application.close();
});
