import { Marked } from 'marked'
import { anchorOf } from '../readme/documents.ts'

/** A heading, or an item of a list that begins with a name in bold. */
export interface Place {
  readonly name: string
  /** The heading above an item. */
  readonly under: string | undefined
}

interface Rendered {
  readonly html: string
  /** By the ids of their elements. */
  readonly places: ReadonlyMap<string, Place>
}

export function render(text: string): Rendered {
  const places = new Map<string, Place>()
  let heading = ''
  // What is declared twice has one place.
  const idOf = (id: string, name: string, under?: string): string => {
    if (name === '' || places.has(id)) return ''
    places.set(id, { name, under })
    return ` id="${id}"`
  }
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading(html, level) {
        heading = plain(html)
        return `<h${level}${idOf(anchorOf(heading), heading)}>${html}</h${level}>\n`
      },
      listitem(html) {
        const name = nameOf(html)
        const id = `${anchorOf(heading)}.${anchorOf(name)}`
        return `<li${idOf(id, name, heading)}>${html}</li>\n`
      },
      link: (href, _, html) => `<a href="${addressOf(href)}">${html}</a>`,
      // What scrolls is reached by the keyboard.
      table: (head, rows) =>
        `<div class="wide" tabindex="0"><table><thead>${head}</thead><tbody>${rows}</tbody></table></div>\n`,
      code: (code) => `<pre tabindex="0"><code>${escaped(code)}</code></pre>\n`,
    },
  })
  const html = marked.parse(text, { async: false }) as string
  return { html, places }
}

/** An option is shown with its type, and called by its name. */
function nameOf(item: string): string {
  const [, bold = ''] = /^(?:<p>)?<strong>(.*?)<\/strong>/s.exec(item) ?? []
  if (!bold.startsWith('<code>')) return plain(bold)
  const [name = ''] = /^[\w. -]*/.exec(plain(bold)) ?? []
  return name.trim()
}

/** Where a link of a document leads on the site: each file stays in its folder. */
function addressOf(link: string): string {
  if (/^(?:[a-z]+:|#)/.test(link)) return link
  const [path = '', anchor] = link.split('#')
  return `${fileOf(path)}${anchor === undefined ? '' : `#${anchor}`}`
}

/** The file of the page that shows a document, or another text. */
export function fileOf(path: string): string {
  return `${path.replace(/(?<=^|\/)README\.md$/, 'index').replace(/\.md$/, '')}.html`
}

const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' } as const

/** The text that HTML shows, on one line. */
export function plain(html: string): string {
  return html
    .replaceAll(/<\/?(?:a|code|em|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity as keyof typeof ENTITIES])
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
