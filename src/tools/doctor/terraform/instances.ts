import { asList, asValues, textOfValue, type Values } from '../template/resolve.ts'

/** A module of a configuration, as it is called from its parent. */
export interface Module {
  /** '' for the root. */
  readonly address: string
  /** Its configuration; empty in a state, which has none. */
  readonly configuration: Values
  readonly parent?: Module
  /** The arguments of its call, in the parent. */
  readonly given: Values
  readonly key: string
  readonly children: readonly Module[]
}

/** A resource or data source, one for each key of `count` and `for_each`. */
export interface Instance {
  /** Its address, behind the name of its file where several are read. */
  readonly id: string
  readonly address: string
  readonly mode: 'managed' | 'data'
  readonly type: string
  readonly name: string
  /** '' without `count` and `for_each`. */
  readonly key: string
  /** What is known of its attributes. */
  readonly values: Values
  /** Its arguments as they are written: constants and references. */
  readonly expressions: Values
  readonly module: Module
}

/** All that it makes or reads. */
export type TerraformPlan = readonly Instance[]

type Read = Omit<Instance, 'id'>

/**
 * Reads what `terraform show -json` prints, of a plan or of a state.
 * @param file what ids begin with; '' for a single one
 */
export function readPlan(json: unknown, file: string): TerraformPlan {
  const { planned_values, values, configuration, prior_state } = asValues(json)
  const tree = asValues(asValues(planned_values ?? values)['root_module'])
  const root = moduleOf(tree, asValues(asValues(configuration)['root_module']), {
    address: '',
    given: {},
    key: '',
  })
  const before = asValues(asValues(asValues(prior_state)['values'])['root_module'])
  const planned = instancesOf(root, tree)
  const known = new Set(planned.map(({ address }) => address))
  const data = instancesOf(root, before).filter(
    ({ mode, address }) => mode === 'data' && !known.has(address),
  )
  const read = [...planned, ...data]
  const prefix = file === '' ? '' : `${file}.`
  const all = [...read, ...deferred(root, read)]
  return all.map((each) => ({ id: prefix + each.address, ...each }))
}

function moduleOf(
  tree: Values,
  configuration: Values,
  place: Pick<Module, 'address' | 'given' | 'key' | 'parent'>,
): Module {
  const children: Module[] = []
  const module: Module = { ...place, configuration, children }
  const calls = asValues(configuration['module_calls'])
  const seen = new Set<string>()
  const add = (child: Values, address: string, name: string, key: string): void => {
    const { module: inner, expressions } = asValues(calls[name])
    seen.add(name)
    children.push(
      moduleOf(child, asValues(inner), {
        address,
        given: asValues(expressions),
        key: unquotedKey(key),
        parent: module,
      }),
    )
  }
  for (const child of asList(tree['child_modules']).map(asValues)) {
    const address = textOfValue(child['address'])
    const [, name = '', key = ''] = MODULE.exec(address) ?? []
    add(child, address, name, key)
  }
  // A module that makes no resource is not among the values; its outputs may be used.
  for (const name of Object.keys(calls).filter((each) => !seen.has(each))) {
    add({}, `${place.address === '' ? '' : `${place.address}.`}module.${name}`, name, '')
  }
  return module
}

/** The name of a module, and its key, at the end of its address. */
export const MODULE: RegExp = /module\.([\w-]+)(\[[^\]]*\])?$/

function instancesOf(module: Module, tree: Values): Read[] {
  const own = asList(tree['resources']).map((each): Read => {
    const { address, mode, type, name, index, values } = asValues(each)
    return {
      address: textOfValue(address),
      mode: mode === 'data' ? 'data' : 'managed',
      type: textOfValue(type),
      name: textOfValue(name),
      key: textOfValue(index),
      values: asValues(values),
      expressions: expressionsOf(module, textOfValue(mode), textOfValue(type), textOfValue(name)),
      module,
    }
  })
  const below = asList(tree['child_modules'])
    .map(asValues)
    .flatMap((child) => {
      const found = module.children.find(({ address }) => address === child['address'])
      return found === undefined ? [] : instancesOf(found, child)
    })
  return [...own, ...below]
}

function expressionsOf(module: Module, mode: string, type: string, name: string): Values {
  const found = asList(module.configuration['resources'])
    .map(asValues)
    .find((each) => each['mode'] === mode && each['type'] === type && each['name'] === name)
  return asValues(found?.['expressions'])
}

/** Data sources that Terraform reads only when it applies the plan: their arguments are known, their values are not. */
function deferred(module: Module, read: readonly Read[]): Read[] {
  const own = asList(module.configuration['resources'])
    .map(asValues)
    .filter(({ mode }) => mode === 'data')
    .map(({ type, name, expressions }): Read => {
      const local = `data.${textOfValue(type)}.${textOfValue(name)}`
      return {
        address: module.address === '' ? local : `${module.address}.${local}`,
        mode: 'data',
        type: textOfValue(type),
        name: textOfValue(name),
        key: '',
        values: {},
        expressions: asValues(expressions),
        module,
      }
    })
    .filter(
      (each) =>
        !read.some(
          ({ mode, type, name, module: at }) =>
            mode === 'data' && type === each.type && name === each.name && at === module,
        ),
    )
  return [...own, ...module.children.flatMap((child) => deferred(child, read))]
}

export function unquotedKey(key: string): string {
  return key.replaceAll(/^\["?|"?\]$/g, '')
}
