import { stableId } from '../../../library/base/ids.ts'

/** The bucket of the option `offload`. */
export interface StoredObjects {
  /** `versioned`: older versions stay. `not known`: it may not be asked, or gave no answer. */
  look(place: ObjectPlace): Promise<Looked>
  /** @returns why it is not gone; undefined: it is */
  remove(place: ObjectPlace): Promise<string | undefined>
}

export interface ObjectPlace {
  readonly bucket: string
  readonly name: string
}

type Looked =
  | { readonly kind: 'there' | 'gone' }
  | { readonly kind: 'not known'; readonly why: string }

/** `s3://bucket/prefix/`, of which the prefix is that of `s3Objects`. @returns undefined: it is none */
export function readPlace(text: string): ObjectPlace | undefined {
  const [, bucket, prefix = ''] = /^s3:\/\/([\w.:-]{3,255})(?:\/(.*))?$/.exec(text) ?? []
  if (bucket === undefined) return undefined
  return { bucket, name: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/` }
}

/** As `s3Objects` names them. */
export function resultPlace({ bucket, name }: ObjectPlace, key: string): ObjectPlace {
  return { bucket, name: `${name}results/${stableId(key)}.json` }
}

/** @param sha256 hexadecimal */
export function payloadPlaceIn({ bucket, name }: ObjectPlace, sha256: string): ObjectPlace {
  return { bucket, name: `${name}payloads/${sha256}` }
}

export function placeText({ bucket, name }: ObjectPlace): string {
  return `s3://${bucket}/${name}`
}
