import type { Page } from 'playwright-core'

/** When the pictures are taken, epoch milliseconds. */
const NOW = Date.parse('2026-11-01T09:00:00Z')
const HOUR = 3_600_000
/** Milliseconds. Faults of this run are younger, those of the night are hours old. */
const OF_THIS_RUN = HOUR / 4

const FREE = { queries: 0, units: 0, receives: 0 }

/**
 * Lets a page show the same in each run: the clock stands, ages are rounded, arrivals
 * are spread by rule, and ids that are made at random are one and the same.
 * An answer costs only once, however often the page has asked again until its picture is taken.
 */
export async function keepSteady(page: Page): Promise<void> {
  const asked = new Set<string>()
  await page.clock.setFixedTime(NOW)
  await page.route(/\/api\/(overview|stats|doctor)\b/, async (route) => {
    const url = route.request().url()
    const response = await route.fetch()
    const answer = steady(await response.text())
    await route.fulfill({
      response,
      json: asked.has(url) ? { ...answer, cost: FREE } : answer,
    })
    asked.add(url)
  })
}

interface Answer {
  /** ISO 8601. */
  readonly at: string
}

function steady(text: string): Answer {
  const { at } = JSON.parse(text) as Answer
  const began = Date.parse(at)
  return JSON.parse(text, (name, value: unknown) => {
    if (typeof value === 'string') return steadyText(value, began)
    return name === 'arrivals' ? spread(value as readonly number[]) : value
  }) as Answer
}

function steadyText(text: string, began: number): string {
  return text
    .replaceAll(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/g, (time) => rounded(began - Date.parse(time)))
    .replaceAll(/\b(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{12}\b/g, '3f9a5c07d1e2')
}

/** As many, more and more often towards the end. */
function spread(arrivals: readonly number[]): readonly number[] {
  const count = arrivals.reduce((sum, each) => sum + each, 0)
  const last = arrivals.length - 1
  const places = Array.from({ length: count }, (_, nth) =>
    Math.floor(last * Math.sqrt(nth / Math.max(1, count - 1))),
  )
  return arrivals.map((_, place) => places.filter((each) => each === place).length)
}

/** @param age milliseconds @returns ISO 8601 */
function rounded(age: number): string {
  const shown =
    Math.abs(age) < OF_THIS_RUN ? Math.sign(age) * 30_000 : Math.round(age / HOUR) * HOUR
  return new Date(NOW - shown).toISOString()
}
