// The keys of a document for the recorder, which runs in an isolated world.

import { makeKeys } from "./keys.js";
import { makeSiteView } from "./site_view.js";

/** @import { Keys, KeySettings } from "./keys.js" */
/** @import { Natives } from "./natives.js" */
/** @import { KindOf } from "./site_view.js" */

/**
 * @param {KindOf} kindOf
 * @param {KeySettings} settings
 * @param {Natives} natives
 * @returns {Keys}
 */
export const makeKeysOf = (kindOf, settings, natives) => makeKeys(makeSiteView(kindOf), settings, natives);
