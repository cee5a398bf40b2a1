import { piecesOf } from './safeText.ts'

interface TextProps {
  readonly of: string
  /** Lines and tabs are shown as such. */
  readonly lines?: boolean
}

/** Foreign text: as text nodes, with a mark for each character that would hide or turn others. */
export function Text({ of, lines = false }: TextProps) {
  return (
    <>
      {piecesOf(of, { lines }).map(({ text, mark }) =>
        mark === undefined ? (
          text
        ) : (
          <span class="mark" title={mark}>
            {text}
          </span>
        ),
      )}
    </>
  )
}
