import { documented } from '../proof/formats/page.ts'
import { memoryStore } from 'lineclear/testing'
import type { Store } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { applyPause, applyResume } from '../../src/library/entries/sweeper/pause/applyPause.ts'
import { loadPauses } from '../../src/library/entries/sweeper/pause/listPauses.ts'
import type { Pause } from '../../src/library/entries/sweeper/pause/pauseRow.ts'
import { type Choose, everyOrder, openStepper } from '../everyOrder.ts'
import { fakeMapping, FakeMappings } from '../tools/operator/fakeMappings.ts'

const MAPPING = 'uuid-pay'
const clock = { now: () => 1_000_000, sleep: async () => {} }

/** Two commands of operators. Each makes its plan, and then one call after the other. */
type Command = 'pause' | 'resume'

function gated(store: Store, gate: () => Promise<void>, careless: boolean): Store {
  return {
    ...store,
    read: async (keys, options) => (await gate(), store.read(keys, options)),
    create: async (items) => (await gate(), store.create(items)),
    update: async (updates) => {
      await gate()
      return store.update(careless ? updates.map((each) => ({ ...each, where: [] })) : updates)
    },
  }
}

interface Setting {
  readonly commands: readonly Command[]
  /** Before both commands. */
  readonly before: 'enabled' | 'paused' | 'pausing'
  /** The nth call of the first command is its last. */
  readonly kill?: number
  /** With writes that have no conditions. */
  readonly careless?: boolean
}

async function play(setting: Setting, choose: Choose): Promise<string> {
  const store = documented(memoryStore())
  const lambda = new FakeMappings(fakeMapping('pay'))
  const quiet = { store, lambda, clock, patience: 0 }
  if (setting.before !== 'enabled') await applyPause(newPause('first'), undefined, quiet)
  if (setting.before === 'pausing') {
    await store.update([{ key: { pk: 'pauses', sk: MAPPING }, where: [], set: { st: 'pausing' } }])
    lambda.set('pay', 'Enabled')
  }
  const { gateOf, end, run } = openStepper()
  const killed: Command[] = []
  const all = setting.commands.map(async (command, who) => {
    let calls = 0
    const gate = async (): Promise<void> => {
      await gateOf(who)()
      if (who === 0 && calls++ === setting.kill) {
        end(who)
        killed.push(command)
        await new Promise(() => {})
      }
    }
    // Its own client, whose calls arrive when they are let through.
    const own = Object.assign(new FakeMappings(...lambda.mappings), { gate })
    const pausing = { ...quiet, store: gated(store, gate, setting.careless === true), lambda: own }
    await type(command, `by ${who}`, pausing)
    end(who)
  })
  await Promise.race([run(choose, setting.commands.length), Promise.all(all)])
  for (const command of killed) await type(command, 'again', quiet)
  const [row] = await loadPauses(store, [MAPPING])
  return `${row?.pause?.state ?? 'none'} ${lambda.stateOf('pay')}`
}

async function type(
  command: Command,
  by: string,
  pausing: Parameters<typeof applyResume>[2],
): Promise<void> {
  const [{ pause: seen } = {}] = await loadPauses(pausing.store, [MAPPING])
  if (command === 'pause') await applyPause(newPause(by), seen, pausing)
  else if (seen !== undefined) await applyResume(seen, by, pausing)
}

function newPause(id: string): Pause {
  return {
    id,
    mapping: MAPPING,
    state: 'pausing',
    queue: 'arn:aws:sqs:us-east-1:000000000000:pay',
    function: 'arn:aws:lambda:us-east-1:000000000000:function:pay',
    names: {},
    by: id,
    why: 'test',
    since: 0,
    until: undefined,
  }
}

const everySchedule = (setting: Setting) => everyOrder((choose) => play(setting, choose))

/** What the row says is what the mapping is. */
const CONSISTENT = ['none Enabled', 'paused Disabled']

const PAIRS: readonly Setting[] = [
  { before: 'enabled', commands: ['pause', 'pause'] },
  { before: 'enabled', commands: ['pause', 'resume'] },
  { before: 'paused', commands: ['resume', 'pause'] },
  { before: 'paused', commands: ['resume', 'resume'] },
  { before: 'pausing', commands: ['resume', 'pause'] },
]

describe('two operators at once', () => {
  it.each(PAIRS)('$commands on a mapping that was $before: row and mapping agree', async (each) => {
    const { ends, schedules } = await everySchedule(each)
    expect(schedules).toBeGreaterThan(5)
    expect(ends.filter((end) => !CONSISTENT.includes(end))).toEqual([])
  })

  it('disagree at the end when writes have no conditions', async () => {
    const found = await Promise.all(PAIRS.map((each) => everySchedule({ ...each, careless: true })))
    const wrong = found.flatMap(({ ends }) => ends).filter((end) => !CONSISTENT.includes(end))
    expect(wrong.length).toBeGreaterThan(0)
  })
})

describe('killed at any call, and typed again', () => {
  const KILLS = [0, 1, 2, 3, 4]
  it.each(KILLS.flatMap((kill) => PAIRS.map((pair) => ({ ...pair, kill }))))(
    'call $kill of the first of $commands on $before',
    async (each) => {
      const { ends } = await everySchedule(each)
      expect(ends.filter((end) => !CONSISTENT.includes(end))).toEqual([])
    },
  )
})
