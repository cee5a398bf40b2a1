import { DeleteItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { startLocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'

it('a table comes back as it was: changed, deleted and new items', async () => {
  await using cloud = await startLocalCloud({ tables: { items: { hash: 'id', range: 'at' } } })
  const key = (id: string) => ({ id: { S: id }, at: { S: '1' } })
  const put = (id: string, value: string) =>
    cloud.dynamodb.send(
      new PutItemCommand({ TableName: 'items', Item: { ...key(id), value: { S: value } } }),
    )
  const all = async () => {
    const { Items = [] } = await cloud.dynamodb.send(new ScanCommand({ TableName: 'items' }))
    return new Map(Items.map(({ id, value }) => [id?.S, value?.S]))
  }
  for (let nth = 0; nth < 40; nth++) await put(`many${nth}`, 'x')
  await put('changed', 'old')
  await put('deleted', 'old')
  const before = await all()
  const snapshot = await cloud.snapshotTable('items')
  await put('changed', 'new')
  await put('created', 'new')
  await cloud.dynamodb.send(new DeleteItemCommand({ TableName: 'items', Key: key('deleted') }))
  expect(await all()).not.toEqual(before)
  await snapshot.restore()
  expect(await all()).toEqual(before)
  await expect(cloud.snapshotTable('others')).rejects.toThrow('expected one of items')
})
