import { Json } from '../../parts/Json.tsx'
import { Text } from '../../parts/Text.tsx'
import type { Letter } from './answers.ts'
import { jsonIn } from './jsonIn.ts'

/** A body as a tree if it is JSON, else as it is. */
export function Body({ of }: { readonly of: Letter['body'] }) {
  if (of === undefined) return <p class="faint">It has no body.</p>
  if (typeof of !== 'string') {
    return (
      <>
        <p>
          It has {of.bytes.toLocaleString('en')} bytes, which is too much to draw. It begins with:
        </p>
        <Plain of={of.start ?? ''} />
      </>
    )
  }
  const json = jsonIn(of)
  return json === undefined ? <Plain of={of} /> : <Json of={json.value} />
}

function Plain({ of }: { readonly of: string }) {
  return (
    <pre class="plain">
      <Text of={of} lines />
    </pre>
  )
}
