import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { wrongLayout } from '../../../tools/console/browser/layout.ts'
import { watch } from '../../../tools/console/browser/watch.ts'

/** What one page has. */
interface Seen {
  readonly ids: readonly string[]
  /** Whole addresses. */
  readonly links: readonly string[]
}

/** Pages of files have no host. */
const ORIGIN = 'null'
const NARROW = { width: 420, height: 800 }

/** Opens each page of a folder on a narrow screen. @returns what is wrong, a sentence each */
export async function visitAll(browser: Browser, folder: string): Promise<readonly string[]> {
  const page = await browser.newPage({ viewport: NARROW })
  const { problems } = watch(page, ORIGIN)
  const seen = new Map<string, Seen>()
  const wrong: string[] = []
  for (const file of globSync('**/*.html', { cwd: folder }).toSorted()) {
    const { href } = pathToFileURL(join(folder, file))
    await page.goto(href)
    const found = [...(await wrongLayout({ page })), ...problems.splice(0)]
    wrong.push(...found.map((each) => `${file}: ${each}`))
    seen.set(href, await see(page))
  }
  await page.close()
  return [...wrong, ...wrongLinks(seen, folder)]
}

function see(page: Page): Promise<Seen> {
  return page.evaluate(() => ({
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    links: [...document.querySelectorAll('a')].map(({ href }) => href),
  }))
}

function wrongLinks(seen: ReadonlyMap<string, Seen>, folder: string): readonly string[] {
  const top = pathToFileURL(`${folder}/`).href
  return [...seen].flatMap(([page, { ids, links }]) => {
    const doubles = ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `two are #${id}`)
    const inside = links.filter((link) => !/^https:\/\/\w/.test(link))
    const lost = inside.filter((link) => !leadsSomewhere(seen, link))
    return [...doubles, ...lost.map((link) => `${link.replace(top, '')} is not there`)].map(
      (each) => `${page.replace(top, '')}: ${each}`,
    )
  })
}

function leadsSomewhere(seen: ReadonlyMap<string, Seen>, link: string): boolean {
  const [page = '', id] = link.split('#')
  const there = seen.get(page)
  return there !== undefined && (id === undefined || there.ids.includes(decodeURIComponent(id)))
}
