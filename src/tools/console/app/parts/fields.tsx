import { valueOf } from '../address.ts'
import { address, setQuery } from '../route.ts'

interface FieldProps {
  /** The parameter of the URL. */
  readonly name: string
  readonly label: string
  /** Another parameter, which a change takes away. */
  readonly clears?: string
}

function setter({ name, clears }: FieldProps): (value: string) => void {
  return (value) =>
    setQuery({ [name]: value.trim(), ...(clears !== undefined && { [clears]: undefined }) })
}

interface TextFieldProps extends FieldProps {
  readonly placeholder: string
  readonly look?: 'short' | 'wide'
  /** What is offered. */
  readonly list?: readonly string[]
}

/** A filter of a page. It counts once it is entered, since each look costs requests. */
export function TextField({ placeholder, look, list, ...field }: TextFieldProps) {
  const { name, label } = field
  return (
    <>
      <input
        type="search"
        class={look}
        aria-label={label}
        placeholder={placeholder}
        list={list && `${name}-list`}
        value={valueOf(address.value.query[name])}
        onChange={({ currentTarget: { value } }) => setter(field)(value)}
      />
      {list !== undefined && (
        <datalist id={`${name}-list`}>
          {list.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  )
}

interface ChoiceProps extends FieldProps {
  readonly options: readonly (readonly [value: string, title: string])[]
}

export function Choice({ options, ...field }: ChoiceProps) {
  return (
    <select
      aria-label={field.label}
      value={valueOf(address.value.query[field.name])}
      onChange={({ currentTarget: { value } }) => setter(field)(value)}
    >
      {options.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  )
}

/** A box that is ticked when the parameter is 1. */
export function Tick(field: FieldProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={valueOf(address.value.query[field.name]) === '1'}
        onChange={({ currentTarget: { checked } }) => setter(field)(checked ? '1' : '')}
      />
      <span>{field.label}</span>
    </label>
  )
}
