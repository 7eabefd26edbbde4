// Who answers the scripts of a page: on a site its server. The browser application has a file of its own in this place.
export const answer = (address, given) => fetch(address, given);
