<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- DIM to the RDF that OAI-PMH repositories offer under the prefix rdf. Parameters: identifier (of the record), url. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:rdf="http://www.openarchives.org/OAI/2.0/rdf/" xmlns:ow="http://www.ontoweb.org/ontology/1#"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" exclude-result-prefixes="dim">
  <xsl:include href="dc-elements.xsl"/>
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>
  <xsl:param name="identifier"/>

  <xsl:template match="/dim:dim">
    <rdf:RDF xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/rdf/ http://www.openarchives.org/OAI/2.0/rdf.xsd">
      <ow:Publication rdf:about="{$identifier}">
        <xsl:apply-templates select="dim:field" mode="dc"/>
        <xsl:apply-templates select="." mode="link"/>
      </ow:Publication>
    </rdf:RDF>
  </xsl:template>
</xsl:stylesheet>
