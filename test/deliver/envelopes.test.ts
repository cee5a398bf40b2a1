import { type EventFormat, recordHandler } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { consumerOf } from './consumerOf.ts'

const HOUR = 3_600_000

/** Bodies such as `event:e-1:{"n":1}`; `event:none` stands for no request, `event:bad` cannot be read. */
const format: EventFormat = {
  open(body) {
    const [start, id = '', ...rest] = body.split(':')
    if (start !== 'event') return undefined
    if (id === 'bad') return { refusal: 'version 9 of an event' }
    if (id === 'none') return { testEvent: 'a test event' }
    const text = rest.join(':')
    return { body: text, event: { id, sentAt: 1_000, fingerprint: text } }
  },
}

function consumer(work?: Parameters<typeof consumerOf>[0]) {
  const runs: object[] = []
  const made = consumerOf(
    async (payload, ctx) => {
      runs.push({ payload, id: ctx.uniqueRequestId, sentAt: ctx.sentAt })
      await work?.(payload, ctx)
    },
    { envelopes: [format] },
  )
  return { ...made, runs }
}

describe('an event that the option envelopes opens', () => {
  it('runs once under its own id and time, however often its source sends it', async () => {
    const { runs, send, deliver, settled } = consumer()
    await deliver(send('event:e-1:{"n":1}'))
    await deliver(send('event:e-1:{"n":1}'))
    expect(runs).toEqual([{ payload: { n: 1 }, id: 'e-1', sentAt: 1_000 }])
    expect(settled.map(({ kind }) => kind)).toEqual(['completed', 'duplicate'])
  })

  it('is a conflict with another event of the same id', async () => {
    const { runs, send, deliver, reasons } = consumer()
    await deliver(send('event:e-1:{"n":1}'))
    await deliver(send('event:e-1:{"n":2}'))
    expect(runs).toHaveLength(1)
    expect(reasons()).toEqual(['conflict'])
  })

  it('keeps body, identity and time in the copy of a retry', async () => {
    let failures = 1
    const { runs, send, deliver, queue, clock } = consumer(() => {
      if (failures-- > 0) throw new Error('not now')
    })
    await deliver(send('event:e-1:{"n":1}'))
    clock.advance(HOUR)
    expect(queue.messages.map(({ message }) => message.body)).toEqual(['event:e-1:{"n":1}'])
    await deliver([...queue.messages])
    expect(runs).toHaveLength(2)
    expect(runs[1]).toEqual(runs[0])
  })

  it('is dead-lettered when its format cannot be read', async () => {
    const { runs, send, deliver, reasons } = consumer()
    await deliver(send('event:bad'))
    expect(runs).toEqual([])
    expect(reasons()).toEqual(['rejected'])
  })
})

it('a message that stands for no request is acknowledged', async () => {
  const { runs, send, deliver, settled, queue, logger } = consumer()
  expect(await deliver(send('event:none'))).toBe(false)
  expect([runs, queue.messages, settled]).toEqual([[], [], [{ kind: 'accepted' }]])
  expect(logger.lines).toMatchObject([{ message: 'accepted', as: 'a test event' }])
})

it('a list of something else is a wrong option', () => {
  const { options } = consumer()
  const wrong = { ...options, envelopes: [{}] as unknown as EventFormat[] }
  expect(() => recordHandler(wrong, () => {})).toThrow(
    'recordHandler: envelopes: expected a list, such as [snsTopic(arn)]; got [{}]',
  )
})
