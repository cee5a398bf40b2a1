import type { StandardSchemaV1 } from '@standard-schema/spec'
import { ConfigError, RejectedError } from '../../base/errors.ts'
import { isObject, kindOf } from '../../base/kindOf.ts'
import { parsePayload } from '../../record/message/parsePayload.ts'
import { loadModule } from './loadModule.ts'

/**
 * A schema of the operator's project.
 * @param place `FILE#EXPORT`; without `#EXPORT` the default export
 * @returns says of a JSON payload why the schema refuses it
 * @throws ConfigError
 */
export async function loadSchema(
  place: string,
): Promise<(payload: string) => Promise<string | undefined>> {
  const at = place.lastIndexOf('#')
  const [file, name] = at < 0 ? [place, 'default'] : [place.slice(0, at), place.slice(at + 1)]
  const { [name]: schema } = await loadModule('--schema', file)
  if (!isSchema(schema)) {
    throw new ConfigError(
      `--schema: expected the export '${name}' of ${file} to be a Standard Schema, as of Zod, Valibot or ArkType; got ${kindOf(schema)}. ` +
        `Give FILE#EXPORT. Nothing was sent`,
    )
  }
  return async (payload) => {
    try {
      await parsePayload(payload, 'json', schema)
      return undefined
    } catch (error) {
      if (error instanceof RejectedError) return error.message
      throw error
    }
  }
}

function isSchema(value: unknown): value is StandardSchemaV1 {
  if (!isObject(value) && typeof value !== 'function') return false
  const standard: unknown = (value as { readonly '~standard'?: unknown })['~standard']
  return isObject(standard) && typeof standard['validate'] === 'function'
}
