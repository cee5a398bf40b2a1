import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  type TransactWriteItem,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb'
import { startLocalCloud, type LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DYNAMODB } from '../../src/limits/dynamodb.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    tables: { items: { hash: 'id' }, sorted: { hash: 'id', range: 'at' } },
  })
})
afterAll(() => cloud.stop())

const text = (length: number): AttributeValue => ({ S: 'x'.repeat(length) })
const number = (N: string): AttributeValue => ({ N })
const put = (Item: Record<string, AttributeValue>, TableName = 'items') =>
  cloud.dynamodb.send(new PutItemCommand({ TableName, Item }))
const update = (input: Partial<UpdateItemCommandInput>) =>
  cloud.dynamodb.send(new UpdateItemCommand({ TableName: 'items', Key: { id: text(3) }, ...input }))
const transact = (...TransactItems: TransactWriteItem[]) =>
  cloud.dynamodb.send(new TransactWriteItemsCommand({ TransactItems }))
const execute = (...statements: readonly (readonly [string, ...AttributeValue[]])[]) =>
  cloud.dynamodb.send(
    new BatchExecuteStatementCommand({
      Statements: statements.map(([Statement, ...Parameters]) => ({
        Statement,
        Parameters,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      })),
    }),
  )
const many = <T>(count: number, make: (nth: number) => T): T[] =>
  Array.from({ length: count }, (_, nth) => make(nth))
const OPERANDS = (count: number) => ({
  ConditionExpression: `NOT a IN (${many(count, (nth) => `:v${nth}`).join(', ')})`,
  ExpressionAttributeValues: Object.fromEntries(many(count, (nth) => [`:v${nth}`, number('1')])),
})
const ADDITIONS = (count: number) => ({
  UpdateExpression: `SET ${many(count, (nth) => `b${nth} = :v`).join(', ')}`,
  ExpressionAttributeValues: { ':v': number('1') },
})
const NAMED = (bytes: number) => ({
  UpdateExpression: `SET #${'n'.repeat(bytes - 1)} = :v`,
  ExpressionAttributeNames: { [`#${'n'.repeat(bytes - 1)}`]: 'a' },
  ExpressionAttributeValues: { ':v': number('1') },
})
const NESTED = (levels: number) => {
  let value: AttributeValue = text(1)
  for (let level = 0; level < levels; level++) value = { L: [value] }
  return { id: text(1), value }
}

describe('DynamoDB takes', () => {
  it.each<readonly [string, () => Promise<unknown>]>([
    ['the longest partition key', () => put({ id: text(DYNAMODB.partitionKeyBytes) })],
    ['the longest sort key', () => put({ id: text(1), at: text(DYNAMODB.sortKeyBytes) }, 'sorted')],
    ['the largest item', () => put({ id: text(1), v: text(DYNAMODB.itemBytes - 4) })],
    ['38 digits', () => put({ id: text(1), v: number('1'.repeat(DYNAMODB.numberDigits)) })],
    ['the largest number', () => put({ id: text(1), v: number('9.9e125') })],
    ['a hundred operands of IN', () => update(OPERANDS(DYNAMODB.inOperands))],
    ['300 operators', () => update(ADDITIONS(DYNAMODB.expressionOperators))],
    ['a placeholder of 255 bytes', () => update(NAMED(DYNAMODB.placeholderBytes))],
    [
      'a transaction of a hundred items',
      () =>
        transact(
          ...many(DYNAMODB.transactionItems, (nth) => ({
            Put: { TableName: 'items', Item: { id: text(nth + 10) } },
          })),
        ),
    ],
  ])('%s', async (_, call) => {
    await expect(call()).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } })
  })
})

describe('DynamoDB refuses', () => {
  const tooLong = { id: text(DYNAMODB.partitionKeyBytes + 1) }
  const inItems = (Item: Record<string, AttributeValue>) => ({ Put: { TableName: 'items', Item } })

  it.each<readonly [string, () => Promise<unknown>]>([
    ['a partition key that is too long', () => put(tooLong)],
    [
      'one that is too long, to read',
      () => cloud.dynamodb.send(new GetItemCommand({ TableName: 'items', Key: tooLong })),
    ],
    [
      'a batch of keys for one that is too long',
      () =>
        cloud.dynamodb.send(
          new BatchGetItemCommand({
            RequestItems: { items: { Keys: [{ id: text(1) }, tooLong] } },
          }),
        ),
    ],
    [
      'a batch with a key twice',
      () =>
        cloud.dynamodb.send(
          new BatchGetItemCommand({
            RequestItems: { items: { Keys: many(2, () => ({ id: text(1) })) } },
          }),
        ),
    ],
    [
      'a batch of 101 keys',
      () =>
        cloud.dynamodb.send(
          new BatchGetItemCommand({
            RequestItems: {
              items: { Keys: many(DYNAMODB.batchGetKeys + 1, (nth) => ({ id: text(nth + 1) })) },
            },
          }),
        ),
    ],
    [
      'a sort key that is too long',
      () => put({ id: text(1), at: text(DYNAMODB.sortKeyBytes + 1) }, 'sorted'),
    ],
    ['an empty key', () => put({ id: text(0) })],
    ['a key of another type', () => put({ id: number('1') })],
    ['an item without its key', () => put({ v: text(1) })],
    ['a key with another attribute', () => update({ Key: { id: text(1), at: text(1) } })],
    ['an item that is too large', () => put({ id: text(1), v: text(DYNAMODB.itemBytes - 3) })],
    ['39 digits', () => put({ id: text(1), v: number('1'.repeat(DYNAMODB.numberDigits + 1)) })],
    ['a number that is too large', () => put({ id: text(1), v: number('1e126') })],
    ['a number that is too small', () => put({ id: text(1), v: number('1e-131') })],
    ['a number that is none', () => put({ id: text(1), v: number('NaN') })],
    ['an empty set', () => put({ id: text(1), v: { SS: [] } })],
    ['33 levels', () => put(NESTED(DYNAMODB.nesting + 1))],
    ['101 operands of IN', () => update(OPERANDS(DYNAMODB.inOperands + 1))],
    ['301 operators', () => update(ADDITIONS(DYNAMODB.expressionOperators + 1))],
    ['a placeholder of 256 bytes', () => update(NAMED(DYNAMODB.placeholderBytes + 1))],
    [
      'an expression of more than 4 KB',
      () =>
        update({
          UpdateExpression: `SET ${'a'.repeat(DYNAMODB.expressionBytes)} = :v`,
          ExpressionAttributeValues: { ':v': number('1') },
        }),
    ],
    [
      'a transaction of 101 items',
      () =>
        transact(...many(DYNAMODB.transactionItems + 1, (nth) => inItems({ id: text(nth + 1) }))),
    ],
    [
      'a transaction of more than 4 MB',
      () => transact(...many(11, (nth) => inItems({ id: text(nth + 1), v: text(390 * 1_024) }))),
    ],
    [
      'a transaction with two operations on one item',
      () =>
        transact(inItems({ id: text(1) }), {
          ConditionCheck: {
            TableName: 'items',
            Key: { id: text(1) },
            ConditionExpression: 'attribute_exists(id)',
          },
        }),
    ],
    [
      '26 statements',
      () =>
        execute(
          ...many(
            DYNAMODB.batchStatements + 1,
            (nth) => [`INSERT INTO "items" VALUE {'id':?}`, text(nth + 1)] as const,
          ),
        ),
    ],
    [
      'two statements on one item',
      () =>
        execute(
          ...many(2, () => [`UPDATE "items" SET "a"=? WHERE "id"=?`, text(1), text(1)] as const),
        ),
    ],
    [
      'statements that read and statements that write',
      () =>
        execute(
          [`UPDATE "items" SET "a"=? WHERE "id"=?`, text(1), text(1)],
          [`SELECT * FROM "items" WHERE "id"=?`, text(2)],
        ),
    ],
  ])('%s', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ name: 'ValidationException' })
  })
})

describe('a batch of statements', () => {
  it('may set and remove each attribute by a clause of its own', async () => {
    await put({ id: text(5), c: text(1), d: text(1) })
    const statement = `UPDATE "items" SET "a"=? SET "b"=? REMOVE "c" REMOVE "d" WHERE "id"=? AND "c"=?`
    const { Responses } = await execute([statement, text(1), text(2), text(5), text(1)])
    expect(Responses?.[0]?.Error).toBeUndefined()
    const read = new GetItemCommand({ TableName: 'items', Key: { id: text(5) } })
    const { Item } = await cloud.dynamodb.send(read)
    expect(Item).toEqual({ id: text(5), a: text(1), b: text(2) })
  })

  it('answers each that is wrong: a REMOVE of a list, an ARN, a key or an item that is too long', async () => {
    const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/items'
    const { Responses = [] } = await execute(
      [`UPDATE "items" REMOVE "a", "b" WHERE "id"=?`, text(5)],
      [`INSERT INTO "${arn}" VALUE {'id':?}`, text(1)],
      [`INSERT INTO "items" VALUE {'id':?}`, text(DYNAMODB.partitionKeyBytes + 1)],
      [`INSERT INTO "items" VALUE {'id':?,'v':?}`, text(6), text(DYNAMODB.itemBytes)],
      [`INSERT INTO "items" VALUE {'id':?}`, text(7)],
    )
    expect(Responses.map((response) => response.Error?.Code)).toEqual([
      'ValidationError',
      'ResourceNotFound',
      'ValidationError',
      'ValidationError',
      undefined,
    ])
  })

  it('shows no item where an INSERT meets one', async () => {
    await put({ id: text(8) })
    const { Responses } = await execute([`INSERT INTO "items" VALUE {'id':?}`, text(8)])
    expect(Responses?.[0]?.Error?.Code).toBe('DuplicateItem')
    expect(Responses?.[0]?.Error).not.toHaveProperty('Item')
  })
})
