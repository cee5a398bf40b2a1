import type { ComponentChildren } from 'preact'

export interface Fact {
  readonly name: string
  readonly value: ComponentChildren
}

/** Names and values. A value that is undefined or false is left out with its name. */
export function Facts({ of }: { readonly of: readonly (Fact | undefined | false)[] }) {
  return (
    <dl class="facts">
      {of.map(
        (fact) =>
          fact !== undefined &&
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
