import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { deliver } from '../../deliver/deliver.ts'
import { emptyAll, send } from '../../flow/flowHarness.ts'
import { sendDeadLetter } from '../operator/dlqHarness.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

it('a plan says which dead letters have lost their record, and only --force sends them, as new ones', async () => {
  const harness = await operatorHarness(cloud)
  const ran: string[] = []
  let isBroken = true
  const handler = consumerOn(
    harness,
    (order) => {
      ran.push((order as { id: string }).id)
      if (isBroken) throw new TerminalError('no')
    },
    { id: (order) => (order as { id: string }).id },
  )
  for (const id of ['kept', 'lost']) await send(cloud, 'book', { id })
  await deliver(cloud, 'book', handler)
  await deliver(cloud, 'book', handler)
  const Key = { pk: { S: 'lock#orders/lost' }, sk: { S: 'token' } }
  const TableName = harness.tableName
  await cloud.dynamodb.send(new DeleteItemCommand({ TableName, Key }))
  isBroken = false

  const plan = await harness.cli('dlq', 'redrive', 'dead', '--to', 'book')
  expect(plan.out).toContain('1 dead letter would go to')
  expect(plan.out).toContain('the table has no record of it any more')
  await harness.apply('dlq', 'redrive', 'dead', '--to', 'book', '--no-ramp')
  await deliver(cloud, 'book', handler)
  expect(ran.toSorted()).toEqual(['kept', 'kept', 'lost'])

  const forced = await harness.cli('dlq', 'redrive', 'dead', '--to', 'book', '--force')
  expect(forced.out).toContain('1 dead letter would go to')
  expect(forced.out).toContain('1 of them are sent as new messages (--force)')
  await harness.apply('dlq', 'redrive', 'dead', '--to', 'book', '--no-ramp', '--force')
  await deliver(cloud, 'book', handler)
  expect(ran.filter((id) => id === 'lost')).toHaveLength(2)
  expect(await harness.item('lock#orders/lost', 'token')).not.toHaveProperty('status')
})

it('those of another queue are not sent to it, unless forced; sent astray, they are advised to go home', async () => {
  const harness = await operatorHarness(cloud)
  let isBroken = true
  const orders = consumerOn(harness, () => {
    if (isBroken) throw new TerminalError('no')
  })
  const toPay = ['dlq', 'redrive', 'dead', '--to', 'pay'] as const
  await send(cloud, 'book', { id: 'r1' })
  await deliver(cloud, 'book', orders)
  const { out } = await harness.cli(...toPay)
  expect(out).not.toContain('would go to')
  expect(out).toMatch(/^1 stay: they came from another queue than --to/m)
  expect((await harness.apply(...toPay, '--no-ramp')).out).not.toContain('sent to')

  await harness.apply(...toPay, '--no-ramp', '--force')
  await deliver(
    cloud,
    'pay',
    consumerOn(harness, () => {}, { name: 'sales' }),
  )
  const status = await harness.cli('status')
  expect(status.out).toMatch(/next: lineclear dlq peek dead --group \w+ --body$/m)
  expect(status.out).toMatch(/Send it to the queue of that one: .* --to QUEUE/)
  isBroken = false
  await harness.apply('dlq', 'redrive', 'dead', '--to', 'book', '--no-ramp')
  await deliver(cloud, 'book', orders)
  expect((await harness.cli('status')).out).toContain('No problem found')
})

it('a plan says of which dead letters this cannot be seen, since they name no consumer', async () => {
  const { cli } = await operatorHarness(cloud)
  for (const death of [1, 0])
    await sendDeadLetter(cloud, {}, { id: `r${death}`, reason: 'none', death })
  const { out } = await cli('dlq', 'redrive', 'dead', '--to', 'book')
  expect(out).toContain('2 dead letters would go to')
  expect(out).toMatch(
    /1 of them were written by an attempt, and name no consumer: .* come back as lost record/,
  )
})
