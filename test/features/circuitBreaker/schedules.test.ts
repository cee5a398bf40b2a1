import { circuitBreaker, type Store } from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { type Choose, everyOrder, openStepper } from '../../everyOrder.ts'
import type { Circuit } from '../../../src/library/run/deliver/feature.ts'

const MINUTE = 60_000
const KEY = { pk: 'circuits', sk: 'pay' }
const breaker = circuitBreaker({ after: 1, when: () => true, readEvery: 0 })

interface World {
  /** A process of its own, whose calls of the store are let through one at a time. */
  readonly gate: Circuit
  readonly advance: (milliseconds: number) => void
  /** What this process noticed. */
  readonly note: (what: string) => void
}

type Actor = (world: World) => Promise<void>

interface Setting {
  readonly actors: readonly Actor[]
  /** Whether the circuit is open, or closed after it was open, or was never open. */
  readonly before: 'open' | 'closed' | 'never'
  /** The nth call of the first actor is its last. */
  readonly kill?: number
  /** Conditions on this field are left out: the protection is switched off. */
  readonly without?: string
  /** The answer of each first write is lost, and the store tries again. */
  readonly lostAnswers?: true
}

function storeOf(inner: Store, gate: () => Promise<void>, setting: Setting): Store {
  const twice = async <T>(write: () => Promise<T>): Promise<T> => {
    await gate()
    if (setting.lostAnswers) await write()
    return write()
  }
  return {
    ...inner,
    read: async (keys, options) => (await gate(), inner.read(keys, options)),
    create: async (items) => twice(() => inner.create(items)),
    update: async (updates) => {
      const open = updates.map((each) => ({
        ...each,
        where: each.where.filter((one) => !('field' in one) || one.field !== setting.without),
      }))
      return twice(() => inner.update(open))
    },
  }
}

async function play(setting: Setting, choose: Choose): Promise<string> {
  const clock = fakeClock()
  const inner = memoryStore()
  const logger = quietLogger()
  const consumer = { name: 'pay', clock, logger }
  const first = breaker.openFor({ ...consumer, store: inner })
  if (setting.before !== 'never') {
    await first.failed(new Error('down'))
    clock.advance(MINUTE)
  }
  if (setting.before === 'closed') await first.succeeded((await first.admit(1)).probe)
  const told = logger.lines.length
  const notes: string[] = []
  const stepper = openStepper()
  const all = setting.actors.map(async (act, who) => {
    let calls = 0
    const gate = async (): Promise<void> => {
      await stepper.gateOf(who)()
      if (who === 0 && calls++ === setting.kill) {
        stepper.end(who)
        await new Promise(() => {})
      }
    }
    const store = storeOf(inner, gate, setting)
    const note = (what: string): void => void notes.push(what)
    const advance = (milliseconds: number): void => clock.advance(milliseconds)
    await act({ gate: breaker.openFor({ ...consumer, store }), advance, note })
    stepper.end(who)
  })
  await Promise.race([stepper.run(choose, setting.actors.length), Promise.all(all)])
  const [row] = await inner.read([KEY])
  const state = row?.kind === 'found' ? JSON.stringify(row.item?.['st']) : 'failed'
  const changes = logger.lines.slice(told).map(({ message }) => message.replace(/:.*/, ''))
  return [
    state?.replaceAll('"', '') ?? 'none',
    ...notes,
    ...changes.map((each) => each.replace(':', '')),
  ].join(', ')
}

const run = async (setting: Setting) => everyOrder((choose) => play(setting, choose))

const probing: Actor = async ({ gate, note }) => {
  const { probe } = await gate.admit(1)
  if (probe !== undefined) note('probe')
}

const failing: Actor = async ({ gate }) => {
  await gate.admit(1)
  await gate.failed(new Error('down'))
}

/** Takes a probe that completes late, when all others may be done. */
const late: Actor = async ({ gate }) => {
  const { probe } = await gate.admit(1)
  await gate.admit(1)
  await gate.succeeded(probe)
}

/** The provider comes back, and goes down again. */
const relapse: Actor = async ({ gate, advance, note }) => {
  for (let nth = 0; nth < 2; nth++) {
    const { probe } = await gate.admit(1)
    advance(10 * MINUTE)
    if (probe === undefined) continue
    await gate.succeeded(probe)
    await gate.failed(new Error('down again'))
    note('relapse')
    return
  }
}

describe('several processes at once, in every order of their calls', () => {
  const probes: Setting = { before: 'open', actors: [probing, probing, probing] }

  it('one of them probes', async () => {
    const { ends, schedules } = await run(probes)
    expect(schedules).toBeGreaterThan(50)
    expect(ends).toEqual(['open, probe'])
  })

  it('several probe, when a probe is not conditional on the time that was read', async () => {
    expect((await run({ ...probes, without: 'probeAt' })).ends).toContain(
      'open, probe, probe, probe',
    )
  })

  it.each(['never', 'closed'] as const)('one of them opens what was %s', async (before) => {
    const { ends } = await run({ before, actors: [failing, failing] })
    expect(ends).toEqual(['open, circuit open'])
  })

  it('several open it, when it need not be closed', async () => {
    const { ends } = await run({ before: 'closed', actors: [failing, failing], without: 'st' })
    expect(ends).toContain('open, circuit open, circuit open')
  })

  it('a probe that completes late does not close the circuit of the next outage', async () => {
    const { ends, schedules } = await run({ before: 'open', actors: [late, relapse] })
    expect(schedules).toBeGreaterThan(20)
    expect(ends.filter((end) => end.includes('relapse') && !end.startsWith('open'))).toEqual([])
    expect(ends.some((end) => end.includes('relapse'))).toBe(true)
  })

  it('a late probe closes it, when that is not conditional on its id', async () => {
    const { ends } = await run({ before: 'open', actors: [late, relapse], without: 'id' })
    expect(ends.some((end) => end.includes('relapse') && end.startsWith('closed'))).toBe(true)
  })
})

describe('an answer of the table is lost', () => {
  it('the process that has opened it still says so', async () => {
    const { ends } = await run({ before: 'never', actors: [failing], lostAnswers: true })
    expect(ends).toEqual(['open, circuit open'])
  })
})

describe('a process is killed at any call', () => {
  it.each([0, 1, 2, 3])('call %i: another one closes the circuit in the end', async (kill) => {
    const recovering: Actor = async ({ gate, advance, note }) => {
      for (let nth = 0; nth < 5; nth++) {
        advance(5 * MINUTE)
        const { probe } = await gate.admit(1)
        if (probe === undefined) continue
        await gate.succeeded(probe)
        note('recovered')
        return
      }
    }
    const { ends } = await run({ before: 'open', actors: [late, recovering], kill })
    expect(ends.filter((end) => !end.startsWith('closed'))).toEqual([])
  })
})

it('a probe that did not start is left to the next record of the process', async () => {
  const clock = fakeClock()
  const gate = breaker.openFor({ name: 'pay', store: memoryStore(), clock, logger: quietLogger() })
  await gate.failed(new Error('down'))
  clock.advance(MINUTE)
  const { probe } = await gate.admit(5)
  expect(await gate.admit(1)).toMatchObject({ admitted: 0, probe: undefined })
  gate.unused(probe ?? '')
  expect(await gate.admit(5)).toMatchObject({ admitted: 1, probe })
  expect(await gate.admit(5)).toMatchObject({ admitted: 0, probe: undefined })
})
