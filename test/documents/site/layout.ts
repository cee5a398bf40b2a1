import { dirname, relative } from 'node:path/posix'
import type { Page, PageGroup } from './pages.ts'

/** A file of the site: readable without a script, in light and dark, on a telephone. */
export function layout(page: Page, groups: readonly PageGroup[]): string {
  const to = (file: string): string => relative(dirname(page.file), file)
  const title = escaped(page.title)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${page.title === 'Lineclear' ? title : `${title} – Lineclear`}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('style.css')}">
<script src="${to('search.js')}" defer></script>
<header>
<a href="${to('index.html')}">Lineclear</a>
<form role="search" hidden>
<input type="search" aria-label="Search" placeholder="Search" autocomplete="off">
<p role="status"></p>
<ol hidden></ol>
</form>
<a href="#contents">Contents</a>
</header>
<main>
${page.html}</main>
<nav id="contents" aria-label="Contents">
${groups.map((group) => groupHtml(group, page, to)).join('\n')}
</nav>
</html>
`
}

function groupHtml({ title, pages }: PageGroup, shown: Page, to: (file: string) => string): string {
  const links = pages.map((page) => {
    const isShown = page.file === shown.file
    const link = `<a href="${to(page.file)}"${isShown ? ' aria-current="page"' : ''}>${escaped(page.title)}</a>`
    return `<li>${link}${isShown ? partsHtml(page) : ''}</li>`
  })
  const isOpen = pages.some(({ file }) => file === shown.file)
  return `<details${isOpen ? ' open' : ''}><summary>${title}</summary><ul>${links.join('')}</ul></details>`
}

/** The second headings of the page that is shown. */
function partsHtml({ html, places }: Page): string {
  const ids = [...html.matchAll(/<h2 id="([^"]*)"/g)].map(([, id = '']) => id)
  if (ids.length === 0) return ''
  const links = ids.map(
    (id) => `<li><a href="#${id}">${escaped(places.get(id)?.name ?? '')}</a></li>`,
  )
  return `<ul>${links.join('')}</ul>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
