import { Status } from '../../parts/Status.tsx'
import { Text } from '../../parts/Text.tsx'
import { toneOf } from './entries.ts'

/** Of a change: by glyph and word. */
export function Result({ of }: { readonly of: string }) {
  const [word = '', ...rest] = of.split(':')
  return (
    <>
      <Status of={word} tone={toneOf(word)} />
      {rest.length > 0 && (
        <span class="faint">
          <Text of={rest.join(':')} />
        </span>
      )}
    </>
  )
}
