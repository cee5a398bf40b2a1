import { describe, expect, it } from 'vitest'
import { chooseTransport, MAX_HOPS, type TransportChoice } from '../../../src/send/retry.ts'

const choice: TransportChoice = { wanted: 'resend', fifo: false, hops: 0 }

describe('chooseTransport', () => {
  it.each<[string, Partial<TransportChoice>, 'resend' | 'visibility']>([
    ['a standard queue', {}, 'resend'],
    ['the last hop but one', { hops: MAX_HOPS - 1 }, 'resend'],
    ['hops run out', { hops: MAX_HOPS }, 'visibility'],
    ['hops ran out long ago', { hops: 1_000 }, 'visibility'],
    ['a FIFO queue', { fifo: true }, 'visibility'],
    ['visibility was asked for', { wanted: 'visibility' }, 'visibility'],
  ])('%s', (_, given, expected) => {
    expect(chooseTransport({ ...choice, ...given })).toBe(expected)
  })

  it('leaves hops to others: Lambda cuts a chain at 16', () => {
    expect(MAX_HOPS).toBeLessThan(16)
  })
})
