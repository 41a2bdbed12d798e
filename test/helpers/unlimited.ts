/** Rates of a server whose limits are not what is tested. */
export const UNLIMITED = { read: 0, write: 0, search: 0, bulk: 0, import: 0, admin: 0 }
