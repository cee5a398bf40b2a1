import { describe, expect, it } from 'vitest'
import { attributeOf, type SimulatedMessage } from '../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from './consumerOf.ts'

/** As a mapping with FilterCriteria judges a message: by a field of its body, and by an attribute of the user's. */
function passes({ message }: SimulatedMessage, attributes: number): boolean {
  const body = JSON.parse(message.body) as { readonly kind?: string }
  return body.kind === 'order' && (attributes === 0 || `more-0` in message.attributes)
}

describe('a mapping that filters by body and attribute lets each copy through', () => {
  it.each([0, 2, 8, 9, 10])('of a message with %d attributes of its own', async (attributes) => {
    let runs = 0
    const at = consumerOf(
      () => {
        runs += 1
        if (runs < 5) throw new Error('not yet')
      },
      { attributes },
    )
    at.send(JSON.stringify({ kind: 'order' }))
    for (let nth = 0; nth < 8 && at.queue.messages.length > 0; nth++) {
      const through = at.queue.messages.filter((message) => passes(message, attributes))
      // Lambda deletes the others.
      at.queue.messages = through
      await at.deliver([...through])
      at.clock.set((at.queue.messages[0]?.visibleAt ?? at.clock.now()) + 2_000)
    }
    expect([runs, at.queue.messages, at.dead.messages]).toEqual([5, [], []])
  })

  it('and its dead letter still says why it died', async () => {
    const at = consumerOf(
      () => Promise.reject(Object.assign(new Error('no'), { code: 'TERMINAL' })),
      { attributes: 9 },
    )
    await at.deliver(at.send(JSON.stringify({ kind: 'order' })))
    const [letter] = at.dead.messages
    expect(letter && attributeOf(letter.message, 'lineclear')).toContain('"terminal"')
  })
})
