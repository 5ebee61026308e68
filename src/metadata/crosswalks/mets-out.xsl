<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- DIM and files to METS: MODS as descriptive metadata, one file group. Parameters: identifier (of the record), url, datestamp. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    exclude-result-prefixes="dim">
  <xsl:import href="mods-out.xsl"/>
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>
  <xsl:param name="identifier"/>
  <xsl:param name="datestamp"/>

  <xsl:template match="/dim:dim">
    <mets:mets OBJID="{$identifier}" PROFILE="DSpace METS SIP Profile 1.0" TYPE="DSpace ITEM"
        xsi:schemaLocation="http://www.loc.gov/METS/ http://www.loc.gov/standards/mets/mets.xsd">
      <mets:metsHdr>
        <xsl:if test="$datestamp != ''"><xsl:attribute name="LASTMODDATE"><xsl:value-of select="$datestamp"/></xsl:attribute></xsl:if>
      </mets:metsHdr>
      <mets:dmdSec ID="dmd">
        <mets:mdWrap MDTYPE="MODS" MIMETYPE="text/xml"><mets:xmlData><xsl:apply-imports/></mets:xmlData></mets:mdWrap>
      </mets:dmdSec>
      <xsl:if test="file">
        <mets:fileSec>
          <mets:fileGrp USE="ORIGINAL"><xsl:apply-templates select="file" mode="mets"/></mets:fileGrp>
        </mets:fileSec>
      </xsl:if>
      <mets:structMap TYPE="LOGICAL">
        <mets:div TYPE="DSpace ITEM" DMDID="dmd">
          <xsl:for-each select="file"><mets:div TYPE="file"><mets:fptr FILEID="file-{@position}"/></mets:div></xsl:for-each>
        </mets:div>
      </mets:structMap>
    </mets:mets>
  </xsl:template>

  <xsl:template match="file" mode="mets">
    <mets:file ID="file-{@position}" MIMETYPE="{@media_type}" SIZE="{@size}">
      <xsl:if test="@md5 != ''">
        <xsl:attribute name="CHECKSUM"><xsl:value-of select="@md5"/></xsl:attribute>
        <xsl:attribute name="CHECKSUMTYPE">MD5</xsl:attribute>
      </xsl:if>
      <mets:FLocat LOCTYPE="URL" xlink:type="simple" xlink:href="{@url}" xlink:title="{@name}"/>
    </mets:file>
  </xsl:template>
</xsl:stylesheet>
