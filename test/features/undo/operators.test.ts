import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { displayId, itemKey } from '../../../src/sweeper/address.ts'
import { explainRequest } from '../../../src/tools/operator/explain/explain.ts'
import type { Task } from '../../../src/tools/operator/item/task.ts'
import { listTasks } from '../../../src/tools/operator/tasks/listTasks.ts'
import { deliver, emptyAll, startFlowCloud } from '../../flow/flowHarness.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { orderFlow } from './harness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ALONE = notIn(['killed', 'clocks'], 'it counts what each delivery does')

/** r2 has superseded r1, and the undo of r1 fails once, or always. */
async function failingUndo(times: number) {
  let failures = times
  const flow = orderFlow(cloud, {
    before: () => {
      if (failures-- > 0) throw new Error('broken')
    },
  })
  await flow.start('r1', 'pear')
  await deliver(cloud, 'book', flow.book)
  await flow.start('r2', 'fig', 1)
  await flow.settle()
  const { store, clock, lines } = flow.harness
  const listed = async (): Promise<readonly Task[]> => {
    const tasks: Task[] = []
    for await (const { task } of listTasks(store, {}, clock.now())) tasks.push(task)
    return tasks
  }
  const explain = (match: string): string =>
    store
      .items()
      .filter((item) => itemKey(item).pk.includes(match) || itemKey(item).sk === match)
      .flatMap((item) => explainRequest({ pk: itemKey(item).pk, items: [item] }, clock.now()))
      .flatMap(({ title, lines: text }) => [title, ...text])
      .join('\n')
  return { ...flow, listed, explain, lines }
}

it(
  'each log line of an undo names the flow, the key, the stage and the request',
  ALONE,
  async () => {
    const { lines } = await failingUndo(1)
    const fields = { flow: 'trip', key: 'k', stage: 'book', undoes: 'r1' }
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'failed, will be retried', ...fields }),
    )
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: 'undone',
        ...fields,
        effects: ['reserve', 'line:1', 'line:2', 'note'],
      }),
    )
  },
)

it('lists and explains what a dead undo was to undo', ALONE, async () => {
  const { listed, explain, settle } = await failingUndo(Infinity)
  await settle()
  const tasks = await listed()
  const undo = tasks.find(({ kind }) => kind === 'token')
  expect(undo).toMatchObject({ of: 'trip.book', status: 'error', undoes: 'trip/k r1, stage book' })
  expect(explain(displayId(undo?.pk ?? ''))).toContain(
    'undo of trip/k r1, stage book\nparked as error',
  )
  expect(explain('dead#r1')).toContain(
    'undo of trip/k: r1\nsuperseded: its effects are being undone',
  )
  expect(explain('dead#r1')).toContain('effects and calls that are undone: book:')
})
