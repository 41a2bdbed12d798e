/** Any JSON value; integers past 2^53 are bigint. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [name: string]: Json }

export function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
