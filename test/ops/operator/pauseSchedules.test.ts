import { memoryStore } from 'lineclear/testing'
import type { Store } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { applyPause, applyResume } from '../../../src/ops/operator/pause/applyPause.ts'
import { loadPauses } from '../../../src/ops/operator/pause/listPauses.ts'
import type { Pause } from '../../../src/ops/operator/pause/pauseRow.ts'
import { fakeMapping, FakeMappings } from './fakeMappings.ts'

const MAPPING = 'uuid-pay'
const clock = { now: () => 1_000_000, sleep: async () => {} }

/** Two commands of operators. Each makes its plan, and then one call after the other. */
type Command = 'pause' | 'resume'

/** Chooses which command goes on: `schedule[n]` at the nth call. */
function stepper() {
  const waiting = new Map<number, () => void>()
  const ended = new Set<number>()
  return {
    gateOf: (who: number) => () => new Promise<void>((go) => void waiting.set(who, go)),
    end: (who: number) => void ended.add(who),
    async run(choose: (ready: readonly number[]) => number, commands: number): Promise<void> {
      while (ended.size < commands) {
        await new Promise(setImmediate)
        const ready = [...waiting.keys()].toSorted((one, other) => one - other)
        const who = ready.length === 0 ? undefined : choose(ready)
        if (who === undefined) continue
        const go = waiting.get(who)
        waiting.delete(who)
        go?.()
      }
    },
  }
}

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

async function play(setting: Setting, choose: (ready: readonly number[]) => number) {
  const store = memoryStore()
  const lambda = new FakeMappings(fakeMapping('pay'))
  const quiet = { store, lambda, clock, patience: 0 }
  if (setting.before !== 'enabled') await applyPause(newPause('first'), undefined, quiet)
  if (setting.before === 'pausing') {
    await store.update([{ key: { pk: 'pauses', sk: MAPPING }, where: [], set: { st: 'pausing' } }])
    lambda.set('pay', 'Enabled')
  }
  const { gateOf, end, run } = stepper()
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
  return { row: row?.state ?? 'none', mapping: lambda.stateOf('pay') }
}

async function type(
  command: Command,
  by: string,
  pausing: Parameters<typeof applyResume>[2],
): Promise<void> {
  const [seen] = await loadPauses(pausing.store, [MAPPING])
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

/** Depth first through all orders of the calls. */
async function everySchedule(setting: Setting) {
  const ends = new Set<string>()
  let schedules = 0
  let prefix: number[] = []
  for (;;) {
    const taken: { at: number; of: number }[] = []
    const { row, mapping } = await play(setting, (ready) => {
      const at = prefix[taken.length] ?? 0
      taken.push({ at, of: ready.length })
      return ready[at] ?? 0
    })
    ends.add(`${row} ${mapping}`)
    schedules += 1
    while (taken.length > 0 && (taken.at(-1)?.at ?? 0) + 1 >= (taken.at(-1)?.of ?? 0)) taken.pop()
    const last = taken.pop()
    if (last === undefined) return { ends: [...ends].toSorted(), schedules }
    prefix = [...taken.map(({ at }) => at), last.at + 1]
  }
}

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
