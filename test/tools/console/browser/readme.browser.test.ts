import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { env } from 'node:process'
import { expect } from 'vitest'
import { it } from './browse.ts'
import { keepSteady } from './steady.ts'

/** In the repository, for the README: written by `LINECLEAR_SHOTS=1 npm run browser -- readme`. */
const PICTURES = join(import.meta.dirname, 'pictures')
/** Bytes. */
const MOST = 100_000

it.for(['light', 'dark'] as const)(
  'the overview of the broken shop, as the README shows it: %s',
  async (theme, { shops, tabOf }) => {
    const tab = await tabOf(await shops.broken(), { theme, reducedMotion: true })
    await keepSteady(tab.page)
    await tab.open('/')
    await tab.page.locator('.template-line').waitFor()
    const main = await tab.page.innerText('main')
    for (const finding of ['unknown outcome', 'dead letters', 'stalled', 'long wait']) {
      expect(main).toContain(finding)
    }
    const session = await tab.page.context().newCDPSession(tab.page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 })
    const picture = Buffer.from(data, 'base64')
    expect(picture.length).toBeLessThan(MOST)
    if (env['LINECLEAR_SHOTS'] !== '1') return
    const path = join(PICTURES, `overview-${theme}.webp`)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, picture)
  },
)
