import { defineFlow } from 'lineclear'
import type { CrashCloud, CrashOptions, exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { expectedOf } from '../../../src/testing/crashes/expected.ts'
import { explorationPlan } from '../../../src/testing/crashes/explorationPlan.ts'
import { loadAll } from '../../../src/testing/crashes/runtime/loadAll.ts'
import { replaceBuiltins } from '../../../src/testing/crashes/runtime/runtimeClockAndRandom.ts'
import { walk } from '../../../src/testing/crashes/schedule/choices.ts'
import { runSchedule } from '../../../src/testing/crashes/schedule/runSchedule.ts'
import { USUAL_FAULTS } from '../../../src/testing/crashes/simulation/crashFaults.ts'
import { openSimulation } from '../../../src/testing/crashes/simulation/simulation.ts'
import { consumerOf, Key, ORDER, summing } from './consumerOf.ts'

type Build = Parameters<typeof exploreCrashes>[0]

const LIMIT = 250

/** Every step of every schedule, and all that it leaves behind. A schedule that offers other choices than before is refused. */
async function historyOf(build: Build, record: unknown, options: CrashOptions): Promise<string> {
  await loadAll()
  const restore = replaceBuiltins()
  try {
    const plan = explorationPlan(build, record, options)
    const memory = new Map<string, number>()
    const { right } = await expectedOf(plan, memory)
    const known = new Set<string>()
    const lines: string[] = []
    const run = async (choices: Parameters<typeof runSchedule>[2]) => {
      const simulation = openSimulation(1, USUAL_FAULTS, memory, plan.startAt)
      const ended = await runSchedule(plan, simulation, choices, known, right)
      lines.push(JSON.stringify(ended, whole) ?? 'known')
      return 'go on' as const
    }
    await walk(run, LIMIT, 'strict')
    return lines.join('\n')
  } finally {
    restore()
  }
}

function whole(_: string, value: unknown): unknown {
  return value instanceof Map || value instanceof Set ? [...value] : value
}

const schema = z.object({ tripId: z.string() })

function trip({ store, clients, clock, logger, queueUrl }: CrashCloud) {
  const flow = defineFlow({
    name: 'trip',
    store,
    clients,
    clock,
    logger,
    key: ({ tripId }) => tripId,
    stages: {
      book: { schema, queueUrl: queueUrl('book') },
      seat: { schema, queueUrl: queueUrl('seat'), final: true },
    },
  })
  return {
    book: flow.stageHandler('book', (payload, ctx) => ctx.next('seat', payload)),
    seat: flow.stageHandler('seat', (_, ctx) =>
      ctx.write('sum', { TableName: 't', Key, add: { n: 1 } }),
    ),
  }
}

const drawn: Build = consumerOf(async (_, ctx, { outside }) => {
  await ctx.call('charge', (key) => outside('charge', key))
  const set = { at: Date.now(), by: Math.random(), id: crypto.randomUUID() }
  await ctx.write('at', { TableName: 't', Key, set })
})

it.each<[what: string, Build, record: unknown, CrashOptions]>([
  ['a consumer, two at once', consumerOf(summing), ORDER, {}],
  ['a consumer that draws numbers', drawn, ORDER, { together: 1 }],
  ['a flow', trip, { tripId: 't' }, { together: 1 }],
])('the schedules of %s are the same bytes again', async (_, build, record, options) => {
  const first = await historyOf(build, record, options)
  expect(first.split('\n').length).toBeGreaterThan(20)
  expect(await historyOf(build, record, options)).toBe(first)
})
