import { defineFlow, recordHandler, storedDelays } from 'lineclear'
import { memoryCloud, memoryObjects } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { sweepHandler } from '../../../src/library/entries/sweeper/sweepHandler.ts'

const TEXT = 'x'.repeat(1_100_000)
const QUEUE = { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }

const open = () => {
  const cloud = memoryCloud({
    queues: { first: QUEUE, answers: QUEUE, last: QUEUE, dead: {} },
  })
  const { store, clients, clock, logger } = cloud
  return { cloud, offload: memoryObjects(), given: { store, clients, clock, logger } }
}

it('a flow: what start, a stage and answer send may all be larger than a message', async () => {
  const { cloud, offload, given } = open()
  const Sized = z.object({ id: z.string(), text: z.string() })
  const flow = defineFlow({
    name: 'large',
    ...given,
    offload,
    key: ({ id }: { id: string }) => id,
    stages: {
      first: { schema: Sized, queueUrl: cloud.queueUrl('first') },
      last: { schema: Sized, queueUrl: cloud.queueUrl('last'), final: true },
    },
    awaitingSteps: {
      answer: { schema: Sized, id: ({ id }) => id, queueUrl: cloud.queueUrl('answers') },
    },
  })
  const got: unknown[] = []
  const first = flow.stageHandler('first', async ({ id, text }, ctx) => {
    got.push(['first', text.length])
    await ctx.awaitStep('answer', id, () => undefined)
  })
  const answers = flow.answerHandler('answer', async ({ id, text }, ctx) => {
    got.push(['answer', text.length])
    await ctx.next('last', { id, text: `${text}!` })
  })
  const last = flow.stageHandler('last', ({ text }) => void got.push(['last', text.length]))
  await flow.start({ id: 'k', text: TEXT })
  await cloud.drain({ first })
  expect(await flow.answer('answer', { id: 'k', text: `${TEXT}?` })).toBe('accepted')
  await cloud.drain({ first, answers, last })
  expect(got).toEqual([
    ['first', TEXT.length],
    ['answer', TEXT.length + 1],
    ['last', TEXT.length + 2],
  ])
  expect([offload.objects.size, cloud.messages('dead')]).toEqual([3, []])
})

it('a delayed message that is too large for its row waits without its payload', async () => {
  const { cloud, offload, given } = open()
  const delays = storedDelays()
  const first = recordHandler({ name: 'first', ...given, offload, delays }, async (_, ctx) => {
    await ctx.send(cloud.queueUrl('last'), TEXT.slice(0, 100_000), { delay: '1h' })
  })
  const got: unknown[] = []
  const last = recordHandler({ name: 'last', ...given, offload }, (text) => void got.push(text))
  cloud.send('first', {})
  await cloud.drain({ first, last })
  expect([got, offload.objects.size, cloud.messages('dead')]).toEqual([[], 1, []])
  cloud.clock.advance(2 * 3_600_000)
  const { store, clients, clock, logger } = given
  await sweepHandler({ store, clients, clock, logger })()
  await cloud.drain({ last })
  expect(got).toEqual([TEXT.slice(0, 100_000)])
})

it('without the option, the error of a delayed message that is too large names it', async () => {
  const { cloud, given } = open()
  const errors: unknown[] = []
  const options = { name: 'first', ...given, delays: storedDelays() }
  const first = recordHandler(options, async (_, ctx) => {
    const sent = ctx.send(cloud.queueUrl('last'), TEXT.slice(0, 100_000), { delay: '1h' })
    await sent.catch((error: unknown) => {
      errors.push(String(error))
      throw error
    })
  })
  cloud.send('first', {})
  await cloud.drain({ first })
  expect(errors).toEqual([expect.stringMatching(/100\d\d\d bytes: expected at most 65536/)])
  expect(errors[0]).toContain('the option offload, such as s3Objects({ bucket })')
  expect(cloud.messages('dead')).toHaveLength(1)
})
