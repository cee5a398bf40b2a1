import { Fragment, h, options, type VNode } from 'preact'

/** A piece of a text: as it is, or the code of a character that must not act. */
interface Piece {
  readonly text: string
  readonly isMark: boolean
}

/**
 * Characters that a page would hide, or that change how others are shown: controls, formats (marks of direction among them),
 * halves of surrogate pairs, separators of lines, and what renderers should ignore (UAX 44). Not lines and tabs: HTML shows them
 * as a space, or as what they are.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(HIDDEN)) {
    const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    pieces.push(
      { text: text.slice(from, index), isMark: false },
      { text: `U+${code}`, isMark: true },
    )
    from = index + found.length
  }
  pieces.push({ text: text.slice(from), isMark: false })
  return pieces.filter((piece) => piece.text !== '')
}

/** The same as one plain text, for titles and labels. */
export function plainText(text: string): string {
  return piecesOf(text)
    .map(({ text: each, isMark }) => (isMark ? `⟨${each}⟩` : each))
    .join('')
}

/** From now on no foreign text has to be wrapped by hand: each text node and each title of the page gets its marks. */
export function markTexts(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    if (isText(vnode)) markNode(vnode)
    else if (typeof vnode.type === 'string') markTitles(vnode.props)
    before?.(vnode)
  }
}

type TextNode = Omit<VNode, 'type' | 'props'> & { type: unknown; props: unknown }

/** Preact makes a node without a type of each text. */
function isText(vnode: TextNode): vnode is TextNode & { props: string } {
  return vnode.type === null && typeof vnode.props === 'string'
}

function markNode(vnode: TextNode & { props: string }): void {
  const pieces = piecesOf(vnode.props)
  if (!pieces.some(({ isMark }) => isMark)) return
  const children = pieces.map(({ text, isMark }) =>
    isMark ? h('span', { class: 'mark' }, text) : text,
  )
  Object.assign(vnode, { type: Fragment, props: { children } })
}

function markTitles(props: Record<string, unknown>): void {
  for (const name of ['title', 'aria-label']) {
    const { [name]: text } = props
    if (typeof text === 'string') props[name] = plainText(text)
  }
}
