import {
  appendFile,
  chmod,
  mkdtemp,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteMessageBatchCommand } from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { archiveDeadLetters } from '../../../src/tools/operator/dlq/archive.ts'
import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'
import { flowHarness } from '../../flow/flowHarness.ts'
import { expectDeliveries } from '../../proof/hostile/expectDeliveries.ts'
import {
  count,
  deliver,
  dyingSale,
  emptyAll,
  moveBySqs,
  receive,
  send,
  sendDeadLetter,
  startDlqCloud,
} from './dlqHarness.ts'

let cloud: LocalCloud
let folder: string
let file: string
beforeAll(async () => {
  cloud = await startDlqCloud()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'letters-'))
  file = join(folder, 'letters.jsonl')
})
afterEach(async () => {
  await emptyAll(cloud)
  await rm(folder, { recursive: true })
})
afterAll(() => cloud.stop())

const archive = (options: object = {}) =>
  archiveDeadLetters({ queue: 'dead', to: { file }, sqs: cloud.sqs, mode: 'apply', ...options })
const redriveFile = (options: object = {}) =>
  redriveDeadLetters({
    file,
    sqs: cloud.sqs,
    to: 'orders',
    mode: 'apply',
    rate: 10_000,
    ...options,
  })

const linesOf = async (): Promise<string[]> => (await readFile(file, 'utf8')).trim().split('\n')

async function sendDeadLetters(many: number): Promise<void> {
  for (let n = 0; n < many; n++) {
    await sendDeadLetter(
      cloud,
      { n },
      { id: `r${n}`, reason: n % 2 === 0 ? 'terminal' : 'exhausted' },
    )
  }
}

it('of a file that others can read, only the owner can before a payload is written to it', async () => {
  await writeFile(file, '', { mode: 0o644 })
  await chmod(file, 0o644)
  await sendDeadLetters(1)
  expect(await archive()).toMatchObject({ archived: 1 })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it('goes to no device, whose mode stays as it is', async () => {
  const { mode } = await stat('/dev/null')
  await sendDeadLetters(1)
  await expect(archive({ to: { file: '/dev/null' } })).rejects.toThrow('expected a regular file')
  expect([(await stat('/dev/null')).mode, count(cloud, 'dead')]).toEqual([mode, 1])
})

it('writes what is selected, removes it, and lets only the owner read it', async () => {
  await sendDeadLetters(25)
  expect(await archive({ mode: 'plan' })).toMatchObject({ looked: 25, selected: 25, archived: 0 })
  await expect(stat(file)).rejects.toThrow('ENOENT')
  expect(await archive({ reason: 'exhausted' })).toMatchObject({ looked: 25, archived: 12 })
  expect(count(cloud, 'dead')).toBe(13)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const [first = ''] = await linesOf()
  expect(JSON.parse(first)).toMatchObject({
    version: 1,
    uniquerequestid: 'r1',
    reason: 'exhausted',
    body: '{"n":1}',
    queue: cloud.queueArn('dead'),
    sentAt: expect.stringMatching(/^2.*Z$/),
  })
  expect(await archive()).toMatchObject({ archived: 13 })
  expect(await linesOf()).toHaveLength(25)
  expect(await archive()).toMatchObject({ looked: 0, archived: 0 })
})

it('has a dead letter on disk before it leaves the queue', async () => {
  await sendDeadLetters(3)
  const onDisk: number[] = []
  const send = async (command: never): Promise<unknown> => {
    if ((command as object) instanceof DeleteMessageBatchCommand)
      onDisk.push((await linesOf()).length)
    return cloud.sqs.send(command)
  }
  const watched: object = Object.assign(Object.create(cloud.sqs), { send })
  expect(await archive({ sqs: watched })).toMatchObject({ archived: 3 })
  expect(onDisk).toEqual([3])
})

it('is redriven from the file, byte for byte, each time with the same identity', async () => {
  const attributes = {
    uniquerequestid: { DataType: 'String', StringValue: 'r1' },
    bytes: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255, 7) },
  }
  await send(cloud, 'dead', 'a "quoted"\r\n\u2028line', { attributes, groupId: 'tenant' })
  await archive()
  expect(await redriveFile()).toMatchObject({ moved: 1, stamped: 0, ended: 'complete' })
  expect(await redriveFile()).toMatchObject({ moved: 1 })
  const records = await receive(cloud, 'orders')
  expect(records).toHaveLength(2)
  for (const record of records) {
    expect(record).toMatchObject({
      body: 'a "quoted"\r\n\u2028line',
      attributes: { MessageGroupId: 'tenant' },
      messageAttributes: {
        uniquerequestid: { stringValue: 'r1' },
        bytes: { binaryValue: 'AP8H' },
      },
    })
  }
})

it('a request redriven from the file twice has its effect once', async () => {
  const harness = flowHarness(cloud)
  const { handler, repair } = dyingSale(harness)
  await send(cloud, 'orders', { n: 1 })
  await deliver(cloud, 'orders', handler)
  await archive()
  repair()
  await redriveFile()
  await redriveFile()
  await deliver(cloud, 'orders', handler)
  expectDeliveries(harness.settled.slice(1), ['completed', 'duplicate'])
  expect(harness.count('sales')).toBe(1)
})

it('what SQS had moved goes back to its source queue, with its old id', async () => {
  const messageId = await send(cloud, 'book', { n: 1 })
  await moveBySqs(cloud, 'book')
  await archive()
  expect(await redriveFile({ to: undefined })).toMatchObject({ moved: 1, stamped: 1 })
  const [record] = await receive(cloud, 'book')
  expect(record?.messageAttributes['lineclear']?.stringValue).toContain(`"${messageId}"`)
})

it('after a kill in the middle of a line the next archive appends after it, and the other lines are read', async () => {
  await sendDeadLetters(3)
  await archive({ ids: ['r0'] })
  const [line = ''] = await linesOf()
  await truncate(file, line.length - 10)
  await archive()
  await appendFile(file, `${(await linesOf())[1] ?? ''}\n{"version":2}\nnull\n`)
  expect(await redriveFile()).toMatchObject({ looked: 2, moved: 2, unreadable: [1, 5, 6] })
})

it('selects from a file as from a queue; a plan sends nothing', async () => {
  await sendDeadLetters(4)
  await archive()
  expect(await redriveFile({ mode: 'plan', reason: 'terminal' })).toMatchObject({
    looked: 4,
    moved: 0,
    stays: { notSelected: 2 },
  })
  expect(count(cloud, 'orders')).toBe(0)
  expect(await redriveFile({ reason: 'terminal' })).toMatchObject({ moved: 2 })
})

it('a file that cannot be written leaves the dead letters on their queue', async () => {
  await sendDeadLetters(2)
  await expect(archive({ to: { file: join(folder, 'gone', 'x') } })).rejects.toThrow('ENOENT')
  expect(count(cloud, 'dead')).toBe(2)
})

it('of two versions of an archived dead letter neither is sent, and both are named: the right one is kept by hand', async () => {
  await sendDeadLetters(1)
  await archive()
  const line = await readFile(file, 'utf8')
  const edited = { ...(JSON.parse(line) as object), body: '{"n":"corrected"}' }
  await appendFile(file, `${line}${JSON.stringify(edited)}\n`)
  expect(await redriveFile()).toMatchObject({ looked: 0, moved: 0, unreadable: [1, 2, 3] })
  await writeFile(file, `${JSON.stringify(edited)}\n`)
  expect(await redriveFile()).toMatchObject({ looked: 1, moved: 1, unreadable: [] })
})
