import { Marked } from 'marked'
import type { Page } from './reference.ts'

const marked = new Marked({ gfm: true })

/** Readable without a script, in light and dark, on a telephone. */
const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { display: grid; grid-template-columns: minmax(0, 16rem) minmax(0, 48rem); gap: 2rem; margin: 2rem }
nav a { display: block; padding: 0.2rem 0 }
pre { overflow-x: auto; padding: 0.75rem; background: color-mix(in srgb, currentColor 8%, transparent) }
code { overflow-wrap: anywhere }
@media (max-width: 50rem) { body { display: block; margin: 1rem } }`

/** One page as HTML, beside the list of all. */
export function htmlOf(page: Page, pages: readonly Page[]): string {
  const links = pages.map(({ name, title }) => `<a href="${name}.html">${title}</a>`)
  const text = page.text.replaceAll(/\]\(([a-z-]+)\.md/g, ']($1.html')
  const main = marked.parse(text, { async: false }) as string
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${page.title} – Lineclear</title>
<style>${STYLE}</style>
<nav>${links.join('\n')}</nav>
<main>${main}</main>
</html>
`
}

/** For programs that read documents: https://llmstxt.org */
export function llmsText(pages: readonly Page[]): string {
  const links = pages.slice(1).map(({ name, title, about }) => `- [${title}](${name}.md): ${about}`)
  return `# Lineclear

> A TypeScript framework for AWS Lambda: SQS and SNS consumers whose every effect made through \`ctx\` happens exactly once.

README.md of the package says what is guaranteed, and what is not.

## Reference

${links.join('\n')}
`
}
