import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { fingerprint } from '../../../examples/agent-tools/fingerprint.ts'
import { type Once, turn } from '../../../examples/agent-tools/turn.ts'

const QUEUES = { turns: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, dead: {} }

/** Delivers one turn until it has ended. */
async function take(agent: (once: Once, attempt: number) => Promise<unknown>) {
  const { store, clients, clock, logger, ...cloud } = memoryCloud({ queues: QUEUES })
  let [attempts, acted] = [0, 0]
  const handler = recordHandler(
    { name: 'agent', store, clients, clock, logger },
    async (_, ctx) => {
      await turn(ctx, (once) => agent(once, (attempts += 1)))
      acted += 1
    },
  )
  cloud.send('turns', {})
  await cloud.drain({ turns: handler })
  return { attempts, acted, dead: cloud.messages('dead').map(({ carried }) => carried.reason) }
}

it('a tool call is made once, when 25 of 40 were made and all are asked for in another order', async () => {
  const requests: string[] = []
  const answers: string[] = []
  const nights = Array.from({ length: 40 }, (_, index) => index + 1)
  const { attempts, dead } = await take(async (once, attempt) => {
    answers.length = 0
    for (const night of attempt === 1 ? nights : nights.toReversed()) {
      const args = attempt === 1 ? { night, hotel: 'h' } : { hotel: 'h', night }
      const answer = await once('book', args, async ({ idempotencyKey }) => {
        requests.push(idempotencyKey)
        if (requests.length === 25) throw new Error('its answer was lost')
        return `night ${night}`
      })
      answers.push(answer)
    }
  })
  expect({ attempts, dead }).toEqual({ attempts: 2, dead: [] })
  expect(requests).toHaveLength(41)
  expect(new Set(requests).size).toBe(40)
  expect(answers).toEqual(nights.toReversed().map((night) => `night ${night}`))
})

it('after a call of unknown outcome no other one is made, though the agent goes on', async () => {
  const made: string[] = []
  const { attempts, dead } = await take(async (once) => {
    const fax = async (): Promise<never> => {
      made.push('fax')
      throw new Error('its answer was lost')
    }
    await once('fax', {}, fax, 'stop').catch(() => {})
    const letter = async (): Promise<number> => made.push('letter')
    await once('letter', {}, letter).catch(() => {})
    return 'done'
  })
  expect({ attempts, dead, made }).toEqual({ attempts: 1, dead: ['unknown'], made: ['fax'] })
})

it('a call that the agent no longer waits for ends before its answer is acted on', async () => {
  const { attempts, acted, dead } = await take(async (once) => {
    const { promise, reject } = Promise.withResolvers<never>()
    void once('page', {}, () => promise, 'stop').catch(() => {})
    setTimeout(() => reject(new Error('its answer was lost')), 1)
    return 'done'
  })
  expect({ attempts, acted, dead }).toEqual({ attempts: 1, acted: 0, dead: ['unknown'] })
})

it('a turn that asks twice for the same is given one answer', async () => {
  let made = 0
  const answers: number[] = []
  await take(async (once) => {
    const ask = () => once('count', { of: 'all' }, async () => (made += 1))
    answers.push(...(await Promise.all([ask(), ask()])), await ask())
  })
  expect(answers).toEqual([1, 1, 1])
})

it('a fingerprint tells arguments apart by what they say, not by the order of their names', () => {
  const same = [
    { a: 1, b: { c: [1, 2], d: null } },
    { b: { d: null, c: [1, 2] }, a: 1 },
  ]
  expect(new Set(same.map(fingerprint)).size).toBe(1)
  const others = [
    { a: 1 },
    { a: '1' },
    { a: [1] },
    { a: { 0: 1 } },
    { b: 1 },
    [],
    {},
    undefined,
    [1, 2],
    [2, 1],
  ]
  expect(new Set(others.map(fingerprint)).size).toBe(others.length)
  expect(fingerprint({ 'a,b': 'c', a: 'b,c' })).toBe(fingerprint({ a: 'b,c', 'a,b': 'c' }))
})
