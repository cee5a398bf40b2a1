import { eventBridge, snsTopic } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { eventFormatsOf, topicsOf } from '../../../src/library/protocol/record/envelope/formats.ts'

const [PAID, SHIPPED] = ['arn:aws:sns:eu-west-1:1:paid', 'arn:aws:sns:eu-west-1:1:shipped'] as const

describe('the topics that envelopes names', () => {
  it.each([
    ['none', undefined, undefined],
    ['none, of events alone', [eventBridge()], undefined],
    ['one', [snsTopic(PAID)], [PAID]],
    ['several', [snsTopic(PAID, SHIPPED)], [PAID, SHIPPED]],
    [
      'several, each on its own',
      [snsTopic(PAID), eventBridge(), snsTopic(SHIPPED)],
      [PAID, SHIPPED],
    ],
    ['any', [snsTopic(PAID), snsTopic('any')], 'any'],
  ])('%s', (_what, envelopes, topics) => {
    expect(topicsOf(envelopes)).toEqual(topics)
  })

  it('are not among the events that are opened', () => {
    const events = eventBridge()
    expect(eventFormatsOf([snsTopic(PAID), events])).toEqual([events])
    expect(eventFormatsOf([snsTopic(PAID)])).toBeUndefined()
  })
})

describe('snsTopic', () => {
  it.each([
    ['nothing', [], 'got nothing'],
    ['an unset variable', [undefined], 'is its environment variable set?'],
    ['an empty text', [''], 'got ""'],
    ['a name', ['paid'], 'got "paid"'],
    ['any beside a topic', [PAID, 'any'], "'any' alone"],
  ])('refuses %s', (_what, topics, says) => {
    expect(() => snsTopic(...(topics as never as [string]))).toThrow(says)
  })
})
