import type { ComponentChildren } from 'preact'
import type { Address } from '../address.ts'
import { href } from '../route.ts'
import { copy } from './AsCommand.tsx'

interface IdProps {
  readonly of: string
  /** A page that shows it. Default: that of the request; null: none. */
  readonly to?: Address | null
  readonly copies?: boolean
}

export function Id({ of, to, copies = false }: IdProps) {
  const page = to === undefined ? { path: '/request', query: { id: of } } : to
  const target = PRINTABLE.test(of) ? page : null
  return (
    <span class="id" title={of}>
      {target === null ? (
        <span class="cut">{of}</span>
      ) : (
        <a class="cut" href={href(target.path, target.query)}>
          {of}
        </a>
      )}
      {copies && (
        <button type="button" class="icon" title="Copy" onClick={() => void copy(of, 'Id')}>
          <svg class="copy" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />
          </svg>
          <span class="unseen">Copy {of}</span>
        </button>
      )}
    </span>
  )
}

/** The server refuses to look for others. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}]+$/u

export interface Fact {
  readonly name: string
  readonly value: ComponentChildren
}

/** Names and values; what is false is left out. */
export function FactList({ of }: { readonly of: readonly (Fact | false)[] }) {
  return (
    <dl class="facts">
      {of.map(
        (fact) =>
          fact !== false && (
            <div key={fact.name}>
              <dt>{fact.name}</dt>
              <dd>{fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
