import { recordHandler, TerminalError } from 'lineclear'
import { expect, it } from 'vitest'
import { daysCloud, HOUR } from './days.ts'
import { trips } from './trips.ts'

it.each([
  ['its handler', true],
  ['its age, before any claim', false],
])(
  'a dead letter that died of %s is tried again when it is redriven after maxAge',
  async (_why, claimed) => {
    const { cloud, options, redrive, day, reasons } = daysCloud(true)
    const attempts: number[] = []
    const handler = recordHandler(
      { ...options, name: 'orders', retry: { maxAge: '1h', maxAttempts: 3, delay: () => 0 } },
      (_order, ctx) => {
        attempts.push(ctx.attempt)
        if (attempts.length === 1 && claimed) throw new TerminalError('no')
        if (ctx.attempt < 3) throw new Error('not now')
      },
    )
    cloud.send('work', { id: 1 })
    if (!claimed) cloud.clock.advance(2 * HOUR)
    await cloud.deliver('work', handler)
    expect(reasons()).toEqual([claimed ? 'terminal' : 'too old'])
    day(2)
    await redrive('work')
    for (let nth = 0; nth < 3; nth++) await cloud.deliver('work', handler)
    expect([attempts, reasons()]).toEqual([claimed ? [1, 1, 2, 3] : [1, 2, 3], []])
  },
)

it('a dead letter that waits for its key runs when the key is free', async () => {
  const { old, deliver, redrive, clock, log, reasons, settled } = trips({ process: 'every' })
  await old.flow.start({ key: 'k' })
  clock.advance(30 * HOUR)
  await deliver('book', old.book)
  expect(reasons()).toEqual(['too old'])
  await old.flow.start({ key: 'k' })
  await deliver('book', old.book)
  await redrive('book')
  // Often enough for a copy to take its place.
  for (let nth = 0; nth < 8; nth++) {
    clock.advance(HOUR / 4)
    await deliver('book', old.book)
  }
  expect(settled.map(({ kind }) => kind)).toContain('resent')
  await old.flow.reset('k')
  for (let nth = 0; nth < 4; nth++) {
    clock.advance(HOUR / 4)
    await deliver('book', old.book)
  }
  expect([log, reasons()]).toEqual([['book', 'book'], []])
})
