import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from '../readme/documents.ts'
import { layout } from './layout.ts'
import { groupsOfPages, linkedPages, type Page } from './pages.ts'
import { sectionsOf } from './sections.ts'

/** Writes the site, which works from files and from any host, to a folder that holds nothing else. */
export async function buildSite(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const groups = groupsOfPages()
  const pages = groups.flatMap((group) => group.pages)
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  for (const page of [...pages, ...linkedPages()]) write(page.file, layout(page, groups))
  for (const picture of pages.flatMap(picturesOf)) {
    mkdirSync(dirname(join(folder, picture)), { recursive: true })
    copyFileSync(join(ROOT, picture), join(folder, picture))
  }
  write('sections.js', `sections = ${JSON.stringify(pages.flatMap(sectionsOf))}`)
  await build({
    absWorkingDir: resolve(import.meta.dirname, 'browser'),
    entryPoints: ['search.ts', 'style.css'],
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  // Its license asks for that.
  copyFileSync(join(ROOT, 'node_modules/minisearch/LICENSE.txt'), join(folder, 'licenses.txt'))
}

/** From the top of the site, as from the root of the repository. */
function picturesOf({ file, html }: Page): readonly string[] {
  return [...html.matchAll(/ src(?:set)?="([^"]+)"/g)].map(([, path = '']) =>
    join(dirname(file), path),
  )
}
