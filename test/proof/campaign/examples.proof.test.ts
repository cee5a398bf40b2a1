import { afterAll, expect, it, vi } from 'vitest'
import { samplesIn } from '../../documents/deploy/cloudWatch.ts'
import { deployedAlarms } from '../../documents/deploy/deployedAlarms.ts'
import { uncovered } from '../../documents/deploy/uncovered.ts'

// They read their environment when they are loaded, and another file of this process may have loaded them.
vi.resetModules()
const { openExamples } = await import('./examples.ts')
afterAll(() => {
  vi.resetModules()
})

it('all examples under every fault: each effect is in the books as often as it was requested, each metric on the dashboard and under its alarm', async () => {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => lines.push(String(line)))
  await using examples = await openExamples()
  const requests = 15
  const { books, ...played } = await examples.run({ requests, seed: 3 })
  expect(played).toMatchObject({ lost: [], doubled: [], dead: 0, swept: 0 })
  expect(books).toMatchObject({
    charged: '15 of 15',
    sent: '15 of 15',
    sales: '15 of 15',
    offers: '15 of 15',
    addresses: '3 of 3',
    payments: '30 of 30',
    entries: '15 of 15',
    uploads: '3 of 3',
    reminders: '15 of 15',
    reports: '15 of 15',
    'report lines': '180120 of 180120',
    nights: '15 of 15',
    'cents of nights': '1500 of 1500',
    'nights told': '15 of 15',
    parcels: '15 of 15',
    scanned: '15 of 15',
  })
  expect(played.again).toBeGreaterThan(8 * requests)
  const reporters = new Set(samplesIn(lines).map(({ by }) => by))
  expect(reporters.size).toBeGreaterThanOrEqual(22)
  // `scans` is not in the template, which has no room for more resources.
  const deployed = lines.filter((line) => !line.includes('"consumer":"scans"'))
  expect(uncovered(deployed, await deployedAlarms())).toEqual([])
})
