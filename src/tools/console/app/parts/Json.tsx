import type { Hidden } from '../../hide.ts'
import { copy } from './AsCommand.tsx'
import { parseJson } from './words.ts'

function Json({ of }: { readonly of: unknown }) {
  const text = JSON.stringify(of, undefined, 2) ?? 'undefined'
  return (
    <div class="json">
      <p class="row">
        <span class="faint">{Math.ceil(text.length / 1_024)} KB</span>
        <button type="button" class="quiet" onClick={() => void copy(text, 'JSON')}>
          copy
        </button>
      </p>
      <Plain of={text} />
    </div>
  )
}

function Plain({ of }: { readonly of: string }) {
  return (
    <pre class="plain" tabIndex={0}>
      {of}
    </pre>
  )
}

export function Body({ of }: { readonly of: string | Hidden | undefined }) {
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
  const json = parseJson(of)
  return 'value' in json ? <Json of={json.value} /> : <Plain of={of} />
}
