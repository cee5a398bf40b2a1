import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrokenShop, startBrokenShop } from './brokenShop.ts'

interface Found {
  readonly severity: string
  readonly kind: string
  readonly of: string
  readonly number: number
}

describe('npm run demo -- --broken', () => {
  let shop: BrokenShop
  beforeAll(async () => {
    shop = await startBrokenShop()
  })
  afterAll(() => shop[Symbol.asyncDispose]())

  it('leaves one of each fault, and nothing else, behind', async () => {
    const { code, out } = await shop.type('status', '--json')
    const { findings } = JSON.parse(out) as { findings: readonly Found[] }
    expect(code).toBe(1)
    // The attempts of invoices grow while the shop is up, and are a note from some number on. So does the backlog.
    const found = findings
      .filter(({ kind, of }) => kind !== 'retrying' || of !== 'invoices')
      .map(({ severity, kind, of, number }) =>
        kind === 'backlog'
          ? `${severity} ${kind}: ${of}`
          : `${severity} ${kind}: ${number} of ${of}`,
      )
    expect(found.toSorted()).toEqual([
      'bad dead letters: 1 of mails-dead',
      'bad dead letters: 1 of returns-dead',
      'bad dead letters: 2 of orders-dead',
      'bad dead letters: 2 of parcels-dead',
      'bad dead letters: 300 of baskets-dead, bills-dead, offers-dead',
      'bad dead letters: 6 of orders-dead',
      'bad lost record: 1 of gifts-dead',
      'bad no consumer: 4 of newsletters',
      'bad unknown outcome: 1 of mails',
      'bad unknown outcome: 1 of payments',
      'note long run: 1 of refunds',
      'note long wait: 2 of returns',
      'warn backlog: uploads',
      'warn overdue: 1 of labels',
      'warn overdue: 1 of returns',
      'warn stalled: 1 of parcels',
      'warn throttled: 6 of scans',
      'warn wrong clock: 1 of reminders',
    ])
  })

  it('is refused a second time in its folder, and touches nothing of the first', async () => {
    const second = await shop.startAgain()
    expect(second).toMatchObject({ code: 1, out: '' })
    expect(second.err).toMatch(/^Nothing was started: a demo is up in this folder already/)
    expect(await shop.type('status')).toMatchObject({ code: 1 })
    expect(await readdir(join(shop.place, '.lineclear'))).toEqual(['demo.log', 'local.json'])
  })

  it('that was killed is no obstacle to the next one, which leaves nothing in the folder', async () => {
    expect(await shop.stop('SIGKILL')).toBeNull()
    const repair = await shop.fix('bank')
    expect(repair).toMatchObject({ code: 1, out: '' })
    expect(repair.err).toMatch(/^Nothing was repaired: no broken shop is up/)
    expect(await shop.type('status')).toMatchObject({ code: 3 })

    await using next = await startBrokenShop(shop.place)
    expect(await next.type('status')).toMatchObject({ code: 1 })
    expect(await next.fix('bank')).toMatchObject({ code: 0, out: 'The bank is repaired.\n' })
    expect(await next.stop()).toBe(0)
    expect(await readdir(next.place)).toEqual([])
  })
})
